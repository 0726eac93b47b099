// The fields that an origin gets, made from those of the client's request.
//
// In this order: hop-by-hop fields go (S29), then what an untrusted peer may not say (S30), then
// Host, forwarding fields and Via are added. A field that a filter of the configuration has set is
// the operator's will: it is never taken off, and takes the place of ours of that name. Names with
// `_` don't get here from clients (the parser drops them, S31); `Proxy` never goes on (httpoxy).
// Expect is not forwarded: the body is asked for here. `TE` is not: trailers go through all the
// same. Own values live in the exchange's arena, so nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/fields.h"

namespace proxy {

// What this process is called in Via (RFC 9110 7.6.3): `webship-` and eight random digits, so that
// a loop is told from a chain of several.
class Pseudonym {
 public:
  explicit Pseudonym(std::uint64_t random);
  std::string_view name() const { return name_; }
  // The value of Via for a message that came in this version.
  std::string_view via(http::Version version) const {
    return via_[static_cast<std::size_t>(version)];
  }

 private:
  std::string name_;
  std::array<std::string, 4> via_;
};

struct RequestRules {
  bool x_forwarded = true;  // X-Forwarded-For, -Proto, -Host; X-Real-IP
  bool forwarded = false;   // Forwarded (RFC 7239)
  const Pseudonym* pseudonym = nullptr;
};

enum class RequestVerdict : std::uint8_t {
  good,
  loop,           // it came through here too often: 508 (N07)
  nominations,    // Connection names too much: 400
  last_hop,       // Max-Forwards is used up: answered here (RFC 9110 7.6.2)
  out_of_memory,  // the arena is full: 431
};

// One request may pass this process so often: sites that lead to each other are no loop yet.
inline constexpr int kPassesMax = 4;

// Replaces what is in `out`. `host` goes first. `scratch` is cleared; it only saves an allocation.
RequestVerdict make_request_fields(http::Exchange& exchange, std::string_view host,
                                   const RequestRules& rules, http::Fields& out,
                                   std::string& scratch);

// The target in origin form: the client's own bytes wherever no filter changed them. Empty when the
// arena is full.
std::string_view request_target(http::Exchange& exchange);

}  // namespace proxy
