// Connects to an endpoint, for one worker: its name's addresses are tried as RFC 8305 says.
//
// Families alternate, and each further address starts when the one before has failed, or 250 ms
// after it started; the first that is connected (TLS included) wins, the others are closed. Among
// addresses of one family turns are taken. Addresses that failed lately are tried last, so that a
// dead one costs those 250 ms only now and then. IP literals and unix sockets skip the resolver.
// Nothing is sent before the handshake of the security layer is done. Destroying the task closes
// every attempt.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include "base/address.h"
#include "base/task.h"
#include "io/loop.h"
#include "io/stream.h"
#include "tls/worker.h"
#include "upstream/group.h"
#include "upstream/resolver.h"

namespace upstream {

struct Connected {
  io::Stream::Pointer stream;  // without a user
  base::Address address;
};

struct ConnectError {
  enum class Kind : std::uint8_t {
    unresolved,  // the name has no address
    failed,      // refused, unreachable, closed
    timeout,
    security,  // the handshake: certificate, protocol
  };
  Kind kind = Kind::failed;
  std::string detail;  // a sentence for the log, with the address
};

class Connector {
 public:
  static constexpr io::Duration kStagger = std::chrono::milliseconds(250);  // RFC 8305 5
  // A name with more addresses than this is not tried to its end: a try has its time too.
  static constexpr std::size_t kAttemptsMax = 16;
  static constexpr io::Duration kFailureMemory = std::chrono::seconds(10);

  Connector(io::Loop& loop, Resolver& resolver)
      : loop_(loop), resolver_(resolver), tls_(std::make_shared<tls::Worker>(&loop)) {}

  using Result = std::expected<Connected, ConnectError>;
  // `timeout` is for connecting; resolving has its own. `slot` keeps TLS sessions. Endpoint and
  // group outlive the task.
  base::Task<Result> connect(const Endpoint& endpoint, const Group& group, io::Duration timeout,
                             std::shared_ptr<tls::SessionSlot> slot);

  io::Loop& loop() { return loop_; }

 private:
  class Race;
  Addresses order(const Addresses& resolved, std::uint16_t port);
  bool failed_lately(const base::Address& address) const;
  void remember_failure(const base::Address& address);

  struct Failure {
    base::Address address;
    io::Time until{};
  };
  io::Loop& loop_;
  Resolver& resolver_;
  std::shared_ptr<tls::Worker> tls_;
  std::uint32_t turn_ = 0;
  std::array<Failure, 32> failures_;  // the oldest is overwritten
  std::size_t next_failure_ = 0;
};

}  // namespace upstream
