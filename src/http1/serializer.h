// Writes heads, chunk framing and trailers of HTTP/1.1 from parsed forms (rule R1), never raw
// bytes.
//
// Everything goes to memory that the caller has room in: `…_bound` says how much is enough. What
// can't be sent as it is, a field whose name is not a token or whose value has a control, is left
// out: whatever a handler or a template made, no line can be split (S32). Framing and connection
// fields are decided here and never taken from the fields given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"
#include "http/prepared.h"

namespace http1 {

// How a body is sent.
enum class Transfer : uint8_t { none, known, chunked, until_close };

struct ResponseContext {
  bool head = false;       // the request's method was HEAD
  bool http10 = false;     // the client speaks 1.0
  bool keep_alive = true;  // the connection goes on
  std::string_view date;   // value of Date; none where empty
};

// How the body of this response goes to that client. until_close: the connection can't be kept.
Transfer choose_transfer(const http::Response& response, const ResponseContext& context);

// Returns how many bytes were written. For 101 the response's Upgrade is kept.
size_t response_head_bound(const http::Response& response);
size_t write_response_head(char* out, const http::Response& response, Transfer transfer,
                           const ResponseContext& context);

// The part of a prepared response's head that is always the same: all but Date, Connection and the
// empty line.
std::string encode_prepared(const http::PreparedResponse& response);

// "Connection: …\r\n", or nothing where the version's default says it.
std::string_view connection_line(const ResponseContext& context);

// `fields` with Host; no Content-Length where `body` is none but the method calls for one: 0.
// `upgrade`: with Connection: upgrade. A target with anything but visible ASCII writes nothing: 0.
size_t request_head_bound(std::string_view method, std::string_view target,
                          const http::Fields& fields, std::string_view upgrade);
size_t write_request_head(char* out, std::string_view method, std::string_view target,
                          const http::Fields& fields, http::BodyLength body,
                          std::string_view upgrade);

inline constexpr size_t kChunkHeadMax = 18;
// Size in hexadecimal and CRLF.
size_t write_chunk_head(char* out, uint64_t size);
// The last chunk, allowed trailers, the empty line.
size_t trailers_bound(const http::Fields& trailers);
size_t write_trailers(char* out, const http::Fields& trailers);

}  // namespace http1
