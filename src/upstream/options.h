// What may be configured of a group of endpoints.
//
// Plain values with the documented defaults. Names are not resolved here: an endpoint holds what
// was written. A group is known by its name, an endpoint within it by its id: what keeps both over
// a reload keeps its pools and marks. Immutable once built, shared by all workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/address.h"
#include "tls/options.h"

namespace upstream {

struct EndpointOptions {
  std::string id;            // its URL in one spelling: http://127.0.0.1:3000, unix:/run/app.sock
  bool tls = false;          // https
  std::string host;          // name or IP as in the URL, without brackets; empty: unix
  std::uint16_t port = 0;    // as written, or the scheme's own
  base::Address address;     // where host is an IP, or unix; kNone: host is resolved
  std::uint32_t weight = 1;  // 1 to 1000

  bool operator==(const EndpointOptions&) const = default;
};

enum class Balance : std::uint8_t { kRoundRobin };

// Kept connections, per worker and endpoint.
struct KeepaliveOptions {
  std::uint32_t idle = 64;  // connections; 0: none is kept
  // Below the 5 s after which common origins close (P12).
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(4);
  std::uint32_t requests = 0;       // on one connection; 0: no limit
  std::chrono::nanoseconds age{0};  // of one connection; 0: no limit

  bool operator==(const KeepaliveOptions&) const = default;
};

// Passive marks: after `count` failures within `within` the endpoint rests for `eject`.
struct FailureOptions {
  std::uint32_t count = 3;  // 0: never marked
  std::chrono::nanoseconds within = std::chrono::seconds(10);
  std::chrono::nanoseconds eject = std::chrono::seconds(10);

  bool operator==(const FailureOptions&) const = default;
};

struct RetryOptions {
  std::uint32_t attempts = 2;           // further tries
  std::chrono::nanoseconds timeout{0};  // for one try; 0: no limit of its own

  bool operator==(const RetryOptions&) const = default;
};

struct ResolveOptions {
  std::chrono::nanoseconds ttl_min = std::chrono::seconds(1);
  std::chrono::nanoseconds ttl_max = std::chrono::minutes(5);
  std::chrono::nanoseconds timeout = std::chrono::seconds(5);

  bool operator==(const ResolveOptions&) const = default;
};

struct GroupOptions {
  std::string name;  // of `upstreams`, or the URLs of a group that a route wrote in place
  std::vector<EndpointOptions> endpoints;
  Balance balance = Balance::kRoundRobin;
  tls::ClientOptions tls;  // for endpoints with tls
  std::chrono::nanoseconds connect_timeout = std::chrono::seconds(5);
  std::chrono::nanoseconds first_byte_timeout = std::chrono::seconds(60);
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);
  // WebSockets rest for long; once one side has ended, idle_timeout is for the other.
  std::chrono::nanoseconds tunnel_idle_timeout = std::chrono::hours(1);
  KeepaliveOptions keepalive;
  FailureOptions failures;
  RetryOptions retries;
  ResolveOptions resolve;

  bool operator==(const GroupOptions&) const = default;
};

}  // namespace upstream
