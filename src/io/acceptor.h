// Accepts connections from one listening socket on one loop.
//
// The process owns the listening sockets (design: closing one resets the connections queued on it);
// an acceptor only watches one. Out of descriptors (EMFILE, ENFILE; O01) it rests for 100 ms and
// counts, instead of spinning. Level-triggered, with at most kBatch accepts a turn: a storm of new
// connections must not starve those there are.
#pragma once

#include <cstdint>
#include <expected>

#include "base/address.h"
#include "io/error.h"
#include "io/loop.h"
#include "io/timer.h"

namespace io {

class AcceptorUser {
 public:
  // A non-blocking, close-on-exec descriptor, which is now the user's. TCP_NODELAY is set. The
  // acceptor may be paused within the call, not destroyed.
  virtual void on_accepted(int descriptor, const base::Address& peer) = 0;

 protected:
  ~AcceptorUser() = default;
};

struct ListenOptions {
  bool reuse_port = true;  // one socket per worker
  // Refused where something listens already: with reuse_port the kernel would let another process
  // of the same user share the port, and its connections with it.
  bool first = false;
  int backlog = 4096;
  bool ipv6_only = false;  // [::] takes IPv4 too unless set
  uint32_t unix_mode = 0660;
};
// A listening, non-blocking, close-on-exec socket. Replaces a stale unix socket file, never a live
// one. The error's text says what to do (port in use, permission).
std::expected<int, Error> listen(const base::Address& address, const ListenOptions& options);
// What the kernel bound it to: with a real port where 0 was asked for.
base::Address local_address(int descriptor);
// Removes the file of a unix socket too.
void close_listener(int descriptor, const base::Address& address);

class Acceptor final : public EventSource {
 public:
  // `shared`: other workers watch the same socket (EPOLLEXCLUSIVE).
  Acceptor(Loop& loop, int listening_descriptor, bool shared, AcceptorUser& user);
  ~Acceptor();
  void pause();
  void resume();
  // Accepts that found no descriptor or memory.
  uint64_t failures() const { return failures_; }
  void on_events(uint32_t events) override;

  static constexpr int kBatch = 64;
  static constexpr Duration kRest = std::chrono::milliseconds(100);

 private:
  void watch();
  void unwatch();

  Loop& loop_;
  int descriptor_;
  bool shared_;
  AcceptorUser& user_;
  Timer rest_;
  uint64_t failures_ = 0;
  bool paused_ = false;
  bool watching_ = false;
};

}  // namespace io
