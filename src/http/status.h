// Status codes (RFC 9110 15): their reason phrases and whether a body goes with them.
//
// Phrases are for people and for HTTP/1.1 alone; nothing decides by them.
#pragma once

#include <string_view>

namespace http {

// The registered phrase, or one for the code's class.
std::string_view reason_phrase(int status);

// 1xx, 204 and 304 have no body (RFC 9110 6.4.1); HEAD and CONNECT depend on the request.
constexpr bool status_has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

}  // namespace http
