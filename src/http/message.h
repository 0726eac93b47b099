// Heads of requests and responses, without a version or a socket.
//
// Views, like `Fields`: valid as long as the bytes of the head, or the arena of the exchange once
// it was kept (Exchange::keep).
#pragma once

#include <cstdint>
#include <string_view>

#include "http/fields.h"
#include "http/method.h"

namespace http {

enum class Version : uint8_t { http10, http11, http2, http3 };

// As logs and templates show it.
constexpr std::string_view to_string(Version version) {
  switch (version) {
    case Version::http10:
      return "HTTP/1.0";
    case Version::http11:
      return "HTTP/1.1";
    case Version::http2:
      return "HTTP/2.0";
    case Version::http3:
      return "HTTP/3.0";
  }
  return {};
}

// How a body's end is known. `until_close` only for responses of HTTP/1.
enum class BodyKind : uint8_t { none, known, unknown, until_close };
struct BodyLength {
  BodyKind kind = BodyKind::none;
  uint64_t size = 0;  // where kind is known
  static BodyLength of(uint64_t size) { return {BodyKind::known, size}; }
  bool empty() const { return kind == BodyKind::none || (kind == BodyKind::known && size == 0); }
  bool operator==(const BodyLength&) const = default;
};

struct Request {
  Method method = Method::get;
  std::string_view method_text;
  Version version = Version::http11;
  std::string_view scheme;     // "http" or "https": of the connection, not of the target
  std::string_view target;     // as received
  std::string_view authority;  // host[:port] of the target or Host; may be empty (HTTP/1.0)
  std::string_view host;       // of authority, lower case, without port and trailing dot
  std::string_view port;       // of authority, may be empty
  std::string_view raw_path;   // of the target, undecoded; "*" for OPTIONS *
  std::string_view query;      // without "?"
  bool has_query = false;
  std::string_view path;  // canonical (http/path.h): what rules, matchers and files see
  Fields fields;
  BodyLength body;
  // The token of a well-formed Upgrade (HTTP/1.1) or :protocol (extended CONNECT); else empty.
  std::string_view upgrade;
  bool expects_continue = false;  // RFC 9110 10.1.1
};

struct Response {
  int status = 200;
  Fields fields;  // without Date, Connection, Transfer-Encoding, Content-Length: the version's work
  BodyLength body;
};

}  // namespace http
