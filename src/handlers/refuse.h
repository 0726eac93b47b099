// Answers of refusal that several handlers and filters give alike.
//
// Short pages of the exchange's own, with the field that their status asks for; error pages may
// replace them.
#pragma once

#include "http/exchange.h"
#include "http/method.h"

namespace handlers {

// For handlers that serve GET and HEAD: OPTIONS is answered, other known methods are not allowed
// (405 with Allow), unknown ones not implemented (RFC 9110 9.1, 15.5.6; S20).
inline void refuse_method(http::Exchange& exchange) {
  const http::Method method = exchange.request().method;
  if (method == http::Method::other) return exchange.respond(501);
  exchange.response().fields.set(http::FieldName::allow, "GET, HEAD, OPTIONS");
  exchange.respond(method == http::Method::options ? 204 : 405);
}

// A bounded queue is full: try again soon.
inline void refuse_overload(http::Exchange& exchange) {
  exchange.response().fields.set(http::FieldName::retry_after, "1");
  exchange.respond(503);
}

}  // namespace handlers
