#include "io/stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/cold_read.h"
#include "io/linger.h"

// The life of a stream, its events and failures. What comes in is in stream_input.cc, what goes out
// in stream_output.cc.

namespace io {

static_assert(sizeof(Stream) <= 400, "an idle connection pays for it");

namespace {
constexpr uint32_t kStreamEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP;

int socket_error(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}
}  // namespace

Stream::Stream(Loop& loop, int descriptor, base::Address peer)
    : loop_(loop),
      peer_(std::move(peer)),
      later_([](void* self) { static_cast<Stream*>(self)->run_later(); }, this),
      queue_(loop.output_pool_),
      descriptor_(descriptor) {}

Stream::~Stream() {
  close();
  if (dirty_ || ready_) loop_.forget(*this);
}

void Stream::Deleter::operator()(Stream* stream) const {
  stream->close();
  stream->loop_.dispose(std::unique_ptr<Disposable>(stream));
}

Stream::Pointer Stream::adopt(Loop& loop, int descriptor, const base::Address& peer) {
  Pointer stream(new Stream(loop, descriptor, peer));
  if (!loop.watch(descriptor, *stream, kStreamEvents)) stream->fail(Error::system(errno));
  return stream;
}

Stream::Pointer Stream::connect(Loop& loop, const base::Address& to, StreamUser& user,
                                std::unique_ptr<StreamLayer> layer) {
  Pointer stream(new Stream(loop, -1, to));
  stream->user_ = &user;
  stream->layer_ = std::move(layer);
  stream->client_ = true;
  stream->connecting_ = true;
  stream->begin_connect(to);
  return stream;
}

void Stream::begin_connect(const base::Address& to) {
  sockaddr_storage address{};
  const socklen_t size = to.to_sockaddr(address);
  if (size == 0) return fail(Error::system(EDESTADDRREQ));
  descriptor_ = ::socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor_ < 0) return fail(Error::system(errno));
  if (to.is_ip()) {
    const int one = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  // Connect first: a socket that has not begun to connect is reported as hung up.
  const int result = ::connect(descriptor_, reinterpret_cast<sockaddr*>(&address), size);
  if (result != 0 && errno != EINPROGRESS) return fail(Error::system(errno));
  if (!loop_.watch(descriptor_, *this, kStreamEvents)) return fail(Error::system(errno));
  if (result == 0) schedule();
}

void Stream::finish_connect() {
  if (const int error = socket_error(descriptor_); error != 0) return fail(Error::system(error));
  connecting_ = false;
  if (layer_ != nullptr) {
    start_layer();
  } else {
    connect_reported_ = true;
    if (user_ != nullptr) user_->on_connected();
  }
  if (!closed_ && (!queue_.empty() || end_wanted_)) mark_dirty();
}

void Stream::set_user(StreamUser* user) {
  user_ = user;
  if (user == nullptr || closed_) return;
  end_reported_ = false;
  redeliver_ = delivering_ || !kept_.empty();
  if (redeliver_ || readable_ || ended_) schedule();
}

base::Address Stream::local() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size)
      .value_or(base::Address{});
}

void Stream::on_events(uint32_t events) {
  if (closed_ || failure_reported_) return;
  if (connecting_) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return;
    finish_connect();
    if (closed_ || failed_) return;
  }
  if (!socket_writable_ && (events & EPOLLOUT) != 0) {
    socket_writable_ = true;
    if (queued() > 0) mark_dirty();
  }
  if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) hangup_ = true;
  if ((events & ~uint32_t{EPOLLOUT}) == 0) return;
  readable_ = true;
  pump_input();
  if ((events & EPOLLERR) != 0 && !closed_ && !failed_) {
    // Reading would have told of it, but reading is paused, or met a FIN that came before.
    if (const int error = socket_error(descriptor_); error != 0) fail(Error::system(error));
  }
}

void Stream::continue_turn() {
  ready_ = false;
  if (closed_) return;
  if (queued() > 0) mark_dirty();
  pump_input();
}

void Stream::run_later() {
  if (closed_) return;
  if (connecting_ && !failed_) finish_connect();
  if (layer_ready_ && !closed_) {
    layer_ready_ = false;
    layer_waiting_ = false;
    take_wire({});
  }
  if (salvage_) readable_ = true;
  if (!closed_) pump_input();
  if (failed_ && !closed_) report_failure();
}

void Stream::fail(Error error) {
  if (closed_ || failed_) return;
  failed_ = true;
  error_ = std::make_unique<Error>(std::move(error));
  queue_.clear();
  wire_.release();
  queued_ = 0;
  schedule();
}

void Stream::report_failure() {
  if (failure_reported_) return;
  failure_reported_ = true;
  const std::unique_ptr<Error> error = std::move(error_);  // the call may begin to linger
  if (user_ != nullptr) user_->on_failed(*error);
  if (!closed_ && !discarding_) close();
}

void Stream::close(bool reset) {
  if (closed_) return;
  closed_ = true;
  later_.cancel();
  if (cold_ != nullptr) std::exchange(cold_, nullptr)->forget();
  queue_.clear();
  queued_ = 0;
  wire_.release();
  if (!delivering_) kept_.release();  // else the user may still look at it
  if (descriptor_ < 0) return;
  if (reset) {
    const struct linger no_wait{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &no_wait, sizeof no_wait);
  }
  // Closing alone would leave it registered while a child between fork and exec shares it.
  loop_.unregister(descriptor_);
  ::close(std::exchange(descriptor_, -1));
}

void Stream::linger(Pointer stream, size_t size_max, Duration timeout) {
  Linger::begin(std::move(stream), size_max, timeout);
}

}  // namespace io
