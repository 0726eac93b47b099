// Request methods (RFC 9110 9): the known ones as numbers, any other by its text.
//
// What a number is here is not thereby allowed: handlers say which methods they answer.
#pragma once

#include <cstdint>
#include <string_view>

namespace http {

enum class Method : uint8_t {
  get,
  head,
  post,
  put,
  delete_,
  connect,
  options,
  trace,
  patch,
  other
};

// Case-sensitive, as methods are. `other` for what is not listed above.
constexpr Method parse_method(std::string_view text) {
  switch (text.size()) {
    case 3:
      if (text == "GET") return Method::get;
      if (text == "PUT") return Method::put;
      break;
    case 4:
      if (text == "HEAD") return Method::head;
      if (text == "POST") return Method::post;
      break;
    case 5:
      if (text == "PATCH") return Method::patch;
      if (text == "TRACE") return Method::trace;
      break;
    case 6:
      if (text == "DELETE") return Method::delete_;
      break;
    case 7:
      if (text == "OPTIONS") return Method::options;
      if (text == "CONNECT") return Method::connect;
      break;
    default:
      break;
  }
  return Method::other;
}

// RFC 9110 9.2.2: sending it twice is as good as once.
constexpr bool is_idempotent(Method method) {
  return method != Method::post && method != Method::patch && method != Method::connect &&
         method != Method::other;
}
// RFC 9110 9.2.1.
constexpr bool is_safe(Method method) {
  return method == Method::get || method == Method::head || method == Method::options ||
         method == Method::trace;
}

}  // namespace http
