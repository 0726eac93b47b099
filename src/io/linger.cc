#include "io/linger.h"

#include <memory>
#include <utility>

#include "io/loop_inner.h"

namespace io {

void Linger::begin(Stream::Pointer stream, size_t size_max, Duration timeout) {
  if (stream == nullptr || stream->closed()) return;
  auto& inner = *stream->loop().inner_;
  if (inner.lingering.size() >= kLingeringMax) inner.lingering.begin()->second->finish();
  std::unique_ptr<Linger> linger(new Linger(std::move(stream), size_max, timeout));
  Linger& started = *linger;
  inner.lingering.emplace(started.id_, std::move(linger));
  started.start();
}

Linger::Linger(Stream::Pointer stream, size_t size_max, Duration timeout)
    : loop_(stream->loop()),
      stream_(std::move(stream)),
      left_(size_max),
      timeout_(timeout),
      timer_(
          loop_, [](void* self) { static_cast<Linger*>(self)->on_timer(); }, this),
      id_(loop_.inner_->linger_next++) {}

void Linger::start() {
  Stream& stream = *stream_;
  stream.user_ = this;
  stream.discarding_ = true;
  stream.paused_ = false;
  stream.redeliver_ = false;
  if (!stream.delivering_) stream.kept_.release();
  stream.end_reported_ = false;
  stream.hangup_reported_ = true;
  stream.drained_ = stream.fin_sent_;
  stream.drain_reported_ = false;
  if (stream.failed_ && stream.failure_reported_) {
    // From on_failed: the layer refused what came, and its alert should arrive.
    stream.failed_ = stream.failure_reported_ = false;
    stream.ended_ = false;
    stream.readable_ = true;
  }
  if (stream.layer_ != nullptr && !stream.layer_reported_) {  // can't be sent any more
    stream.queue_.clear();
    stream.queued_ = 0;
  }
  stream.end_wanted_ = true;
  stream.mark_dirty();
  stream.schedule();
  timer_.set_after(kSendTimeout);
}

size_t Linger::on_bytes(std::string_view bytes) {
  if (bytes.size() <= left_) {
    left_ -= bytes.size();
  } else if (drained_) {
    finish();
  } else {
    left_ = 0;
    stream_->pause_reading();
  }
  return bytes.size();
}

void Linger::on_end() {
  ended_ = true;
  if (drained_) finish();
}

void Linger::on_progress() {
  if (!drained_) timer_.set_after(kSendTimeout);
}

void Linger::on_timer() {
  if (drained_ || !stream_->delivering()) return finish();
  timer_.set_after(kSendTimeout);
}

void Linger::on_drained() {
  drained_ = true;
  if (ended_ || stream_->reading_paused()) return finish();
  timer_.set_after(timeout_);
}

void Linger::on_failed(const Error&) { finish(); }

void Linger::finish() {
  const auto found = loop_.inner_->lingering.find(id_);
  if (found == loop_.inner_->lingering.end()) return;
  stream_->close();
  timer_.cancel();
  loop_.dispose(std::move(found->second));
  loop_.inner_->lingering.erase(found);
}

}  // namespace io
