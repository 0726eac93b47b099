// The fields that frame a message and steer its connection (RFC 9112 6, 9; RFC 9110 7.8, 8.6).
//
// Used by the parsers of requests and of responses, which decide what each finding means: a request
// is refused where a response may be mended (P07). Pure functions over parsed fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "http/fields.h"

namespace http1 {

// Digits only, leading zeros allowed, below 2^63 (S07).
std::optional<uint64_t> read_content_length(std::string_view value);

enum class TransferCoding : uint8_t {
  chunked,  // exactly that, once, without parameters
  unknown,  // others before a final chunked: 501
  invalid,  // everything else: 400, for where the body ends is unclear (RFC 9112 6.3)
};
TransferCoding read_transfer_encoding(std::string_view value);

struct ConnectionOptions {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
};
// Of all Connection fields.
ConnectionOptions read_connection_options(const http::Fields& fields);

// The protocol of the Upgrade fields that may be switched to, or empty: the first that is
// well-formed and is not HTTP/2 (S25: h2c is never forwarded; RFC 9113 3.1 has made it obsolete).
std::string_view read_upgrade(const http::Fields& fields);

// May this name stand in a trailer section (S27)? Not what frames, routes, authenticates, forwards
// or describes the content (RFC 9110 6.5.1).
bool allowed_in_trailers(const http::Field& field);

}  // namespace http1
