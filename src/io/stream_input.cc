// What comes in: from the socket, perhaps through the layer, to the user; what it leaves is kept.

#include <cerrno>
#include <utility>

#include "io/stream.h"
#include "io/system_calls.h"

namespace io {

void Stream::resume_reading() {
  paused_ = false;
  if (closed_) return;
  redeliver_ = delivering_ || !kept_.empty();
  if (redeliver_ || readable_ || (ended_ && !end_reported_)) schedule();
}

// Delivers and reads until the socket is empty, the user pauses, or the turn's budget is used up.
void Stream::pump_input() {
  if (delivering_) return schedule();
  size_t count = 0;
  while (!closed_ && user_ != nullptr) {
    if (layer_ != nullptr && !layer_started_ && !connecting_) {
      start_layer();
    } else if (paused_ || (failed_ && !salvage_)) {
      break;
    } else if (redeliver_) {
      redeliver_ = false;
      if (!kept_.empty()) deliver_kept();
    } else if (!readable_ || layer_waiting_ || ended_ || connecting_) {
      break;
    } else if (count >= kTurnBudget) {
      mark_ready();
      break;
    } else {
      count += receive_once();
    }
  }
  if (!closed_ && user_ != nullptr) report_input();
}

void Stream::report_input() {
  if (hangup_ && !hangup_reported_) {
    hangup_reported_ = true;
    user_->on_hangup();
  }
  if (!ended_ || end_reported_ || paused_ || redeliver_ || failed_ || closed_) return;
  if (user_ == nullptr) return;
  end_reported_ = true;
  user_->on_end();
}

size_t Stream::receive_once() {
  char* const into = loop_.read_buffer();
  const ssize_t count = system_receive(descriptor_, into, Loop::kReadSize);
  if (count > 0) {
    const size_t size = static_cast<size_t>(count);
    // Less than asked for: the socket was emptied, and more will be an event of its own. After a
    // FIN there is none, so it is read to its end.
    if (size < Loop::kReadSize && !hangup_) readable_ = false;
    const std::string_view bytes(into, size);
    if (discarding_) {
      received_ += size;
      deliver(bytes);
    } else if (layer_ != nullptr) {
      take_wire(bytes);
    } else {
      received_ += size;
      take_plain(bytes);
    }
    return size;
  }
  if (count == 0) {
    readable_ = false;
    take_end();
  } else if (errno == EAGAIN) {
    readable_ = false;
  } else if (errno != EINTR) {
    const int error = errno;
    readable_ = false;
    ended_ = true;
    end_reported_ = true;  // by on_failed
    hangup_ = hangup_reported_ = true;
    fail(Error::system(error));
  }
  return 0;
}

void Stream::take_end() {
  hangup_ = true;
  ended_ = true;
  if (layer_ != nullptr && !discarding_) {
    // Without close_notify nobody knows whether this is all (RFC 8446 6.1).
    end_reported_ = true;
    fail({Error::Kind::closed, 0,
          layer_reported_ ? "without close_notify" : "during the handshake"});
  }
}

// Offers `bytes`, which are not in kept_, and keeps what the user leaves.
void Stream::take_plain(std::string_view bytes) {
  if (bytes.empty()) return;
  if (paused_ || user_ == nullptr) {
    kept_.append(bytes);
    redeliver_ = true;
  } else if (kept_.empty()) {
    deliver(bytes);
  } else {
    kept_.append(bytes);
    deliver_kept();
  }
}

void Stream::deliver(std::string_view bytes) {
  delivering_ = true;
  const size_t taken = user_->on_bytes(bytes);
  delivering_ = false;
  if (closed_ || discarding_ || taken >= bytes.size()) return;
  kept_.append(bytes.substr(taken));
  if (!paused_ && kept_.size() > kKeptMax) fail({Error::Kind::limit, 0, "too much unread"});
}

void Stream::deliver_kept() {
  delivering_ = true;
  const size_t taken = user_->on_bytes(kept_.view());
  delivering_ = false;
  if (closed_ || discarding_) return kept_.release();
  kept_.consume(taken);
  if (kept_.empty()) {
    kept_.release();
  } else if (!paused_ && kept_.size() > kKeptMax) {
    fail({Error::Kind::limit, 0, "too much unread"});
  }
}

void Stream::set_layer(std::unique_ptr<StreamLayer> layer) {
  layer_ = std::move(layer);
  layer_started_ = false;
  schedule();
}

void Stream::layer_ready() {
  if (closed_) return;
  layer_ready_ = true;
  schedule();
}

// Begins the handshake. What was kept until now came from the wire and goes through the layer.
void Stream::start_layer() {
  layer_started_ = true;
  redeliver_ = false;
  base::Buffer& wire = loop_.wire_scratch();
  wire.clear();
  const StreamLayer::Status status = layer_->start(wire);
  if (!wire.empty()) {
    wire_.append(wire.view());
    mark_dirty();
  }
  if (status == StreamLayer::Status::failed) return fail(layer_->error());
  if (status == StreamLayer::Status::waiting) layer_waiting_ = true;
  if (!kept_.empty()) feed_kept();
}

void Stream::feed_kept() {
  base::Buffer early = std::exchange(kept_, {});
  received_ -= early.size();  // they were not plain
  take_wire(early.view());
}

void Stream::take_wire(std::string_view bytes) {
  // Straight behind what the user left, so that it sees one run of bytes.
  const bool direct = kept_.empty();
  base::Buffer& plain = direct ? loop_.plain_scratch() : kept_;
  if (direct) plain.clear();
  const size_t before = plain.size();
  base::Buffer& wire = loop_.wire_scratch();
  wire.clear();
  const StreamLayer::Status status = layer_->receive(bytes, plain, wire);
  if (!wire.empty()) {
    wire_.append(wire.view());
    mark_dirty();
  }
  layer_waiting_ = status == StreamLayer::Status::waiting;
  if (!layer_reported_ && layer_->established()) {
    report_layer();
    if (closed_) return;
  }
  const size_t count = plain.size() - before;
  received_ += count;
  if (count > 0) {
    if (direct) {
      take_plain(plain.view());
    } else if (paused_ || user_ == nullptr) {
      redeliver_ = true;
    } else {
      deliver_kept();
    }
    if (closed_) return;
  }
  if (status == StreamLayer::Status::ended) {
    hangup_ = ended_ = true;
  } else if (status == StreamLayer::Status::failed) {
    ended_ = end_reported_ = true;
    wire.clear();
    if (can_send() && !wire_.empty()) send_wire(wire);  // the alert
    fail(layer_->error());
  }
}

void Stream::report_layer() {
  layer_reported_ = true;
  if (!queue_.empty() || end_wanted_) mark_dirty();
  if (user_ == nullptr) return;
  if (client_ && !connect_reported_) {
    connect_reported_ = true;
    user_->on_connected();
  } else {
    user_->on_secured();
  }
}

}  // namespace io
