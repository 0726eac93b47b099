// What goes out: from the queue, perhaps through the layer, to the socket.

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "io/cold_read.h"
#include "io/file.h"
#include "io/stream.h"
#include "io/system_calls.h"

namespace io {

namespace {
// Pieces of one sendmsg. A queue that is longer takes another.
constexpr int kVectors = 64;
// A slice below this is copied behind the head: cheaper than an entry of its own in the kernel.
constexpr size_t kCopySize = 1024;
// The same through a layer, where a record of its own costs more: as far as the block has room.
constexpr size_t kLayerCopySize = 8 * 1024;
// A file below this is read and sent with its head in one call, rather than by sendfile.
constexpr uint64_t kSmallFile = 32 * 1024;
// What a layer encrypts before it is sent: with its plain text it stays in the second-level cache.
constexpr size_t kWireSize = 64 * 1024;
}  // namespace

void Stream::mark_dirty() {
  if (!dirty_) {
    dirty_ = true;
    loop_.add_dirty(*this);
  }
}

// For the next turn, because this one's budget is used up.
void Stream::mark_ready() {
  if (!ready_) {
    ready_ = true;
    loop_.add_ready(*this);
  }
}

void Stream::note_written(size_t size) {
  queued_ += size;
  if (queued() > kHighMark) blocked_ = true;
  mark_dirty();
}

void Stream::write(std::string_view bytes) {
  if (closed_ || failed_ || end_wanted_) return;
  if (bytes.size() >= kDirectSize && can_send() && !queue_.has_files()) {
    size_t taken = 0;
    if (layer_ == nullptr) {
      send_clear(bytes, taken);
    } else if (layer_reported_) {
      send_secured(bytes, taken);
    }
    if (failed_) return;
    bytes.remove_prefix(taken);
    mark_dirty();  // to report progress
  }
  if (bytes.empty()) return;
  queue_.append(bytes);
  note_written(bytes.size());
}

void Stream::write(base::Slice bytes) {
  if (closed_ || failed_ || end_wanted_ || bytes.empty()) return;
  const size_t size = bytes.size();
  if (size < kCopySize || (layer_ != nullptr && size <= kLayerCopySize && size <= queue_.room())) {
    queue_.append(bytes.view());
  } else {
    queue_.push(std::move(bytes));
  }
  note_written(size);
}

void Stream::write(base::FileRange range) {
  if (closed_ || failed_ || end_wanted_ || range.length == 0) return;
  const uint64_t size = range.length;
  queue_.push(std::move(range));
  note_written(size);
}

char* Stream::prepare_write(size_t size) { return queue_.prepare(size); }

void Stream::commit_write(size_t size) {
  queue_.commit(size);
  if (closed_ || failed_ || end_wanted_) {
    queue_.clear();
  } else {
    note_written(size);
  }
}

void Stream::end() {
  if (closed_ || failed_ || end_wanted_) return;
  end_wanted_ = true;
  mark_dirty();
}

void Stream::flush() {
  send_output();
  if (!closed_) mark_dirty();  // to report
}

void Stream::settle_output() {
  dirty_ = false;
  if (closed_) return;
  send_output();
  report_output();
}

bool Stream::delivering() {
  int left = 0;
  if (closed_ || failed_ || ::ioctl(descriptor_, SIOCOUTQ, &left) != 0 || left <= 0) return false;
  return static_cast<uint32_t>(left) < std::exchange(undelivered_, static_cast<uint32_t>(left));
}

bool Stream::within_budget() {
  if (turn_ != loop_.turn_number()) {
    turn_ = loop_.turn_number();
    turn_sent_ = 0;
  }
  if (turn_sent_ < kTurnBudget) return true;
  mark_ready();
  return false;
}

void Stream::send_output() {
  if (can_send()) {
    size_t taken = 0;
    if (layer_ == nullptr) {
      send_clear({}, taken);
    } else {
      send_secured({}, taken);
    }
  }
  if (!end_wanted_ || fin_sent_ || !can_send() || !queue_.empty() || !wire_.empty()) return;
  // Before its handshake a layer has nothing to finish.
  if (layer_ != nullptr && layer_reported_ && !layer_finished_) return;
  ::shutdown(descriptor_, SHUT_WR);
  fin_sent_ = true;
  drained_ = true;
}

void Stream::report_output() {
  if (user_ == nullptr) return;
  if (progressed_) {
    progressed_ = false;
    undelivered_ = UINT32_MAX;
    user_->on_progress();
    if (closed_ || user_ == nullptr) return;
  }
  if (blocked_ && queued() <= kLowMark && !failed_) {
    blocked_ = false;
    user_->on_writable();
    if (closed_ || user_ == nullptr) return;
  }
  if (drained_ && !drain_reported_) {
    drain_reported_ = true;
    user_->on_drained();
  }
}

// The peer may have said why before it closed: what it sent is read before the failure is told.
void Stream::fail_sending(int error) {
  salvage_ = !ended_;
  fail(Error::system(error));
}

ssize_t Stream::transmit(const iovec* pieces, int count, int flags) {
  ssize_t sent = 0;
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += pieces[i].iov_len;
  do {
    if (count == 1) {
      sent = system_send(descriptor_, pieces->iov_base, pieces->iov_len, MSG_NOSIGNAL | flags);
    } else {
      msghdr message{};
      message.msg_iov = const_cast<iovec*>(pieces);
      message.msg_iovlen = static_cast<size_t>(count);
      sent = system_send(descriptor_, &message, MSG_NOSIGNAL | flags);
    }
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) {
    if (errno == EAGAIN) {
      socket_writable_ = false;
      return 0;
    }
    fail_sending(errno);
    return -1;
  }
  // Refused in part: the kernel will tell when there is room (an edge).
  if (static_cast<size_t>(sent) < size) socket_writable_ = false;
  turn_sent_ += static_cast<uint32_t>(sent);
  progressed_ = true;
  return sent;
}

// Sends what is queued and then `view`, of which it takes what the socket takes.
void Stream::send_clear(std::string_view view, size_t& taken) {
  std::array<iovec, kVectors + 1> pieces;
  while (!queue_.empty() || taken < view.size()) {
    if (!within_budget() && view.empty()) return;
    bool file_follows = false;
    if (queue_.has_files()) {
      OutputQueue::Piece& file = queue_.first_file();
      const bool ready = prepare_file(file);
      if (failed_) return;
      if (queue_.front().is_file()) {
        if (!ready || !send_file()) return;
        continue;
      }
      // The head waits for its file in the kernel, unless that must come from a disk.
      file_follows = ready && file.is_file();
    }
    int count = queue_.gather(pieces.data(), kVectors);
    size_t queued_size = 0;
    for (int i = 0; i < count; ++i) queued_size += pieces[static_cast<size_t>(i)].iov_len;
    if (taken < view.size() && queued_size == queued_) {
      pieces[static_cast<size_t>(count)].iov_base = const_cast<char*>(view.data() + taken);
      pieces[static_cast<size_t>(count)].iov_len = view.size() - taken;
      ++count;
    }
    const ssize_t sent = transmit(pieces.data(), count, file_follows ? MSG_MORE : 0);
    if (sent < 0) return;
    const size_t size = static_cast<size_t>(sent);
    const size_t from_queue = std::min(size, queued_size);
    queue_.consume(from_queue);
    queued_ -= from_queue;
    taken += size - from_queue;
    sent_ += size;
    if (!socket_writable_) return;
  }
}

void Stream::fail_file() {
  // Never padded, never more than was promised (F09): the peer sees a message cut short.
  fail({Error::Kind::system, 0, "the file became shorter while it was sent"});
}

// Whether the file can be sent without waiting for a disk. A small one becomes bytes.
bool Stream::prepare_file(OutputQueue::Piece& piece) {
  if (cold_ != nullptr) return false;
  if (piece.warm_end > piece.file.offset) return true;
  const bool warm_only = helpers_ != nullptr;
  const base::FileRange& range = piece.file;
  if (range.length <= kSmallFile) {
    base::Block* block = base::Block::create(range.length);
    const auto size = read_at(range.file, range.offset, block->data(), range.length, warm_only);
    base::Slice bytes = base::Slice::adopt(block, size.value_or(0));
    if (size && *size > 0) {
      queue_.replace_file(piece, std::move(bytes));
      return true;
    }
    return file_unready(size);
  }
  const uint64_t end = range.offset + std::min<uint64_t>(range.length, kTurnBudget);
  if (warm_only) {
    char byte;
    // Where the last probe ended the first byte is known to be warm, as good as.
    if (piece.warm_end != range.offset || range.offset == 0) {
      const auto size = read_at(range.file, range.offset, &byte, 1, true);
      if (!size || *size == 0) return file_unready(size);
    }
    const auto size = read_at(range.file, end - 1, &byte, 1, true);
    if (!size || *size == 0) return file_unready(size);
  }
  piece.warm_end = end;
  return true;
}

bool Stream::file_unready(const std::expected<size_t, Error>& size) {
  if (size) {
    fail_file();
  } else if (size.error().code == EAGAIN) {
    read_cold();
  } else {
    fail(size.error());
  }
  return false;
}

// The file in front, which is warm up to piece.warm_end. False when nothing more goes out now.
bool Stream::send_file() {
  OutputQueue::Piece& piece = queue_.front();
  auto offset = static_cast<off_t>(piece.file.offset);
  const uint64_t size = std::min(piece.file.length, piece.warm_end - piece.file.offset);
  const ssize_t sent = ::sendfile(descriptor_, piece.file.file.descriptor(), &offset, size);
  if (sent > 0) {
    const auto count = static_cast<uint64_t>(sent);
    queue_.consume_file(count);
    queued_ -= count;
    sent_ += count;
    turn_sent_ += static_cast<uint32_t>(count);
    progressed_ = true;
    return true;
  }
  if (sent == 0) {
    fail_file();
  } else if (errno == EAGAIN) {
    socket_writable_ = false;
  } else if (errno == EINVAL || errno == ENOSYS || errno == EOVERFLOW) {
    return copy_file();  // a file system that can't
  } else if (errno != EINTR) {
    fail_sending(errno);
  } else {
    return true;
  }
  return false;
}

// Makes the next part of the file in front bytes of the queue.
bool Stream::copy_file() {
  OutputQueue::Piece& piece = queue_.front();
  const size_t size = std::min<uint64_t>(piece.file.length, Loop::kFileChunk);
  base::Block* block = base::Block::create(size);
  const auto count = read_at(piece.file.file, piece.file.offset, block->data(), size, false);
  base::Slice bytes = base::Slice::adopt(block, count.value_or(0));
  if (!count || *count == 0) return file_unready(count);
  queue_.replace_file(piece, std::move(bytes));
  return true;
}

void Stream::read_cold() {
  const base::FileRange& range = queue_.first_file().file;
  cold_ = ColdRead::begin(*this, *helpers_, range);
}

void Stream::take_cold(base::Slice bytes, int error) {
  cold_.reset();
  if (closed_ || failed_) return;
  if (error != 0) {
    fail(Error::system(error));
  } else if (bytes.empty()) {
    fail_file();
  } else {
    queue_.replace_file(queue_.first_file(), std::move(bytes));
    mark_dirty();
  }
}

bool Stream::encrypt(std::string_view plain, base::Buffer& wire) {
  if (layer_->send(plain, wire) == StreamLayer::Status::failed) {
    fail(layer_->error());
    return false;
  }
  sent_ += plain.size();
  return true;
}

bool Stream::encrypt_file(base::Buffer& wire) {
  if (cold_ != nullptr) return false;
  const base::FileRange& range = queue_.front().file;
  const size_t size = std::min<uint64_t>(range.length, Loop::kFileChunk);
  char* const into = loop_.file_buffer();
  const auto count = read_at(range.file, range.offset, into, size, helpers_ != nullptr);
  if (!count || *count == 0) return file_unready(count);
  if (!encrypt({into, *count}, wire)) return false;
  queue_.consume_file(*count);
  queued_ -= *count;
  return true;
}

// Encrypts of the queue what makes one send.
void Stream::encrypt_queue(base::Buffer& wire) {
  while (!queue_.empty() && wire.size() < kWireSize) {
    if (queue_.front().is_file()) {
      if (!encrypt_file(wire)) return;
    } else {
      const std::string_view part = queue_.front().bytes.view().substr(0, kWireSize);
      if (!encrypt(part, wire)) return;
      const size_t size = part.size();
      queue_.consume(size);
      queued_ -= size;
    }
  }
}

// Encrypts and sends what is queued and then `view`, of which it takes what the socket takes.
void Stream::send_secured(std::string_view view, size_t& taken) {
  base::Buffer& wire = loop_.wire_scratch();
  while (within_budget() || !view.empty()) {
    wire.clear();
    if (layer_reported_) {
      encrypt_queue(wire);
      while (!failed_ && queue_.empty() && taken < view.size() && wire.size() < kWireSize) {
        const std::string_view part = view.substr(taken, kWireSize);
        if (!encrypt(part, wire)) return;
        taken += part.size();
      }
      if (failed_) return;
      if (queue_.empty() && end_wanted_ && !layer_finished_) {
        layer_finished_ = true;
        layer_->finish(wire);
      }
    }
    if (wire.empty() && wire_.empty()) return;
    if (!send_wire(wire)) return;
  }
}

// What was refused before and then `fresh`. False when the socket takes no more.
bool Stream::send_wire(base::Buffer& fresh) {
  std::array<iovec, 2> pieces;
  int count = 0;
  for (const base::Buffer* buffer : {&wire_, &fresh}) {
    if (buffer->empty()) continue;
    const std::string_view bytes = buffer->view();
    pieces[static_cast<size_t>(count)].iov_base = const_cast<char*>(bytes.data());
    pieces[static_cast<size_t>(count)].iov_len = bytes.size();
    ++count;
  }
  const ssize_t sent = transmit(pieces.data(), count, 0);
  if (sent < 0) return false;
  const size_t old = std::min(static_cast<size_t>(sent), wire_.size());
  if (old > 0) wire_.consume(old);
  fresh.consume(static_cast<size_t>(sent) - old);
  if (!fresh.empty()) {
    wire_.append(fresh.view());
    fresh.clear();
  } else if (old > 0 && wire_.empty()) {
    wire_.release();
  }
  return socket_writable_;
}

}  // namespace io
