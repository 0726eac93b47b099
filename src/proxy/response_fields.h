// The fields that a client gets, made from those of the origin's response.
//
// Hop-by-hop fields go (RFC 9110 7.6.1). Where a prefix was stripped on the way in, Location and
// the paths of cookies get it back:
//
//   Location                 stripped /app, Host sent: example.com, endpoint 10.0.0.1:3000
//   /login                   /app/login
//   http://example.com/x     http://example.com/app/x
//   http://10.0.0.1:3000/x   https://example.com/app/x    (how the client asked)
//   login, ?a, //other/x, http://other/x                  as they are
// All text is copied into the exchange's arena: the origin's connection may serve others before
// this exchange is logged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/message.h"

namespace proxy {

struct ResponseRules {
  bool rewrite_location = true;
  std::string_view host_sent;           // what the origin was asked for
  std::string_view endpoint_authority;  // its own, as configured: host:port
};

// Fills exchange.response() but for its body; `text` is what the fields of `from` view. False when
// the arena is full, or Connection nominates too much.
bool make_response(const http::Response& from, std::string_view text, const ResponseRules& rules,
                   http::Exchange& exchange, std::string& scratch);

// What a Location becomes; itself where nothing is to change. Empty when the arena is full.
std::string_view rewrite_location(std::string_view location, const ResponseRules& rules,
                                  http::Exchange& exchange);

}  // namespace proxy
