// What can befall a stream or a file: an errno, or an end that has none.
//
// Errors of the network are values, counted and handled by the caller; nothing here throws.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace io {

struct Error {
  enum class Kind : unsigned char { none, system, closed, timeout, security, limit };
  Kind kind = Kind::none;
  int code = 0;        // errno where kind is system
  std::string detail;  // for the log: what OpenSSL or the resolver said

  static Error system(int code) { return {Kind::system, code, {}}; }
  explicit operator bool() const { return kind != Kind::none; }
  // One line for the log.
  std::string text() const;
};

// For `return failed(errno, …)`.
inline std::unexpected<Error> failed(int code, std::string detail = {}) {
  return std::unexpected(Error{Error::Kind::system, code, std::move(detail)});
}

}  // namespace io
