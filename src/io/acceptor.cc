#include "io/acceptor.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

namespace io {

Acceptor::Acceptor(Loop& loop, int listening_descriptor, bool shared, AcceptorUser& user)
    : loop_(loop),
      descriptor_(listening_descriptor),
      shared_(shared),
      user_(user),
      rest_(loop, [](void* self) { static_cast<Acceptor*>(self)->watch(); }, this) {
  // Accepted sockets inherit it, which saves each of them the call. (Unix sockets refuse it.)
  const int one = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  watch();
}

Acceptor::~Acceptor() { unwatch(); }

void Acceptor::watch() {
  if (watching_ || paused_) return;
  // With a shared socket one worker is woken for a connection, not all of them.
  const uint32_t events = EPOLLIN | (shared_ ? uint32_t{EPOLLEXCLUSIVE} : 0);
  watching_ = loop_.watch(descriptor_, *this, events, Loop::Trigger::level);
  if (!watching_) rest_.set_after(kRest);
}

void Acceptor::unwatch() {
  if (watching_) loop_.unwatch(descriptor_, *this);
  watching_ = false;
}

void Acceptor::pause() {
  paused_ = true;
  rest_.cancel();
  unwatch();
}

void Acceptor::resume() {
  paused_ = false;
  watch();
}

void Acceptor::on_events(uint32_t) {
  for (int i = 0; i < kBatch && watching_; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    const int accepted = ::accept4(descriptor_, reinterpret_cast<sockaddr*>(&from), &size,
                                   SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) {
      const auto peer = base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&from), size);
      user_.on_accepted(accepted, peer.value_or(base::Address{}));
      continue;
    }
    switch (errno) {
      case EAGAIN:
        return;
      case EMFILE:
      case ENFILE:
      case ENOBUFS:
      case ENOMEM:
        ++failures_;
        unwatch();
        rest_.set_after(kRest);
        return;
      default:
        break;  // the connection died in the queue, or the network said something of it
    }
  }
}

}  // namespace io
