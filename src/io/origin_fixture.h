// For tests of what connects: a bare listening socket, served by the test between two turns of the
// loop.
//
// Test code only. Nothing here waits: accept() takes what is there, so that a test turns the loop
// until there is something (io/stream_fixture.h).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/acceptor.h"
#include "io/stream_fixture.h"

namespace io {

inline base::Address bound_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size)
      .value_or(base::Address{});
}

class ListeningPeer {
 public:
  explicit ListeningPeer(const base::Address& at = base::Address::ipv4(0x7f000001, 0),
                         int backlog = 64) {
    auto listening = listen(at, {.reuse_port = false, .backlog = backlog, .ipv6_only = true});
    if (!listening) throw std::runtime_error(listening.error().text());
    descriptor_ = *listening;
    address_ = at.is_unix() ? at : bound_address(descriptor_);
  }
  ~ListeningPeer() { close(); }
  ListeningPeer(const ListeningPeer&) = delete;
  ListeningPeer& operator=(const ListeningPeer&) = delete;

  const base::Address& address() const { return address_; }
  std::uint16_t port() const { return address_.port(); }
  // Takes the connections that wait; they stay in peers.
  void accept() {
    while (descriptor_ >= 0) {
      const int accepted = ::accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (accepted < 0) return;
      peers.push_back(std::make_unique<Peer>(accepted));
    }
  }
  // From here on connecting is refused.
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

  std::vector<std::unique_ptr<Peer>> peers;

 private:
  int descriptor_ = -1;
  base::Address address_;
};

// An address of loopback that refuses connections: nobody listens there any more.
inline base::Address refusing_address() { return ListeningPeer().address(); }

}  // namespace io
