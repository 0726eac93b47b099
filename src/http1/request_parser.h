// Parses the head of an HTTP/1.1 request (RFC 9112 2, 3, 5, 6).
//
// Sans-I/O and incremental: parse() gets a view that begins at the same byte each time and is
// longer, and goes on where it stopped. Strict. Leniencies, each allowed by the RFC and harmless
// because requests are re-serialised: up to two empty lines before a request (2.2); HTTP/1.x for x
// > 1 is read as 1.1 (RFC 9110 2.5); leading zeros in Content-Length; HTTP/1.0 without Host; those
// of http/target.h. Fields whose name has an underscore are dropped (S09, S31). Every error closes
// the connection (rule R0). Rows S01–S23, S28, S34.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/arena.h"
#include "http/limits.h"
#include "http/message.h"
#include "http1/field_reader.h"

namespace http1 {

class RequestParser {
 public:
  // Requests on a secure connection: what an absolute target's scheme is held against (S17).
  explicit RequestParser(bool secure = false) : secure_(secure) {}
  // Ready for the next request.
  void reset() {
    keep_alive_ = true;
    stage_ = Stage::leading;
    start_ = scanned_ = 0;
    fields_ = {};
    error_ = {};
  }

  // When done, `request` is complete but for `path`; its views are into `bytes`, or into `arena`
  // for a host that had to be lower-cased. `request` is new at the first call and then the same.
  ParseStatus parse(std::string_view bytes, const http::Limits& limits, http::Request& request,
                    base::Arena& arena);

  // Offset behind the head.
  size_t head_size() const { return fields_.end(); }
  const ParseError& error() const { return error_; }
  // What the client asks of the connection (RFC 9112 9.3).
  bool keep_alive() const { return keep_alive_; }
  // More than empty lines has come.
  bool begun() const { return stage_ != Stage::leading || scanned_ != start_; }

 private:
  enum class Stage : uint8_t { leading, method, target, version, fields };
  ParseStatus parse_line(std::string_view bytes, const http::Limits& limits);
  ParseStatus skip_empty_lines(std::string_view bytes);
  ParseStatus parse_version(const char* data, const char* cap, bool limited);
  ParseStatus finish(std::string_view bytes, http::Request& request, base::Arena& arena);
  bool read_target(http::Request& request, base::Arena& arena);
  bool read_host(http::Request& request, base::Arena& arena, bool absolute);
  bool parse_host(std::string_view text, http::Request& request, base::Arena& arena);
  bool read_framing(http::Request& request);
  bool read_expect(http::Request& request);
  void read_connection(http::Request& request);
  [[gnu::cold]] ParseStatus fail(int status, std::string_view reason) {
    error_ = {status, reason};
    return ParseStatus::error;
  }
  [[gnu::cold]] bool refuse(int status, std::string_view reason) {
    error_ = {status, reason};
    return false;
  }

  bool secure_;
  bool keep_alive_ = true;
  Stage stage_ = Stage::leading;
  char minor_ = '1';
  uint32_t start_ = 0;    // offsets into the view: of the request line,
  uint32_t scanned_ = 0;  // of the first byte not looked at,
  uint32_t method_end_ = 0;
  uint32_t target_end_ = 0;
  FieldReader fields_;
  ParseError error_;
  // The last Host that was good as it stood: a client says the same with each of its requests.
  struct KnownHost {
    bool is(std::string_view authority) const {
      return authority.size() == size && size != 0 &&
             std::memcmp(authority.data(), text.data(), size) == 0;
    }
    void remember(std::string_view authority, const http::Request& request);
    void give(std::string_view authority, http::Request& request) const;

    std::array<char, 45> text;
    uint8_t size = 0;  // 0: none
    uint8_t host_size = 0;
    uint8_t port_size = 0;
  };
  KnownHost known_host_;
};

}  // namespace http1
