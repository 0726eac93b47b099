// Parses the head of an HTTP/1.1 response (RFC 9112 4, 5, 6) from an origin.
//
// Incremental like RequestParser, and as strict: what it refuses the client gets a 502 for (P07).
// Leniencies: a status line may end behind the code (many servers leave out the last space); equal
// Content-Lengths are one (RFC 9112 6.3); with Transfer-Encoding and Content-Length the former
// holds, the latter is dropped and the connection not reused. Content-Length and Transfer-Encoding
// are taken out of the fields: `response.body` says what they said.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/message.h"
#include "http1/field_reader.h"

namespace http1 {

class ResponseParser {
 public:
  void reset() { *this = {}; }

  // `method` is the request's: responses to HEAD have no body, whatever their fields say.
  ParseStatus parse(std::string_view bytes, const FieldLimits& limits, http::Method method,
                    http::Response& response);

  size_t head_size() const { return fields_.end(); }
  // Status 431: over a limit.
  const ParseError& error() const { return error_; }
  bool keep_alive() const { return keep_alive_; }
  // Whether a body follows and how it ends. Not the same as response.body, which for HEAD and 304
  // says the length that a body would have.
  http::BodyLength framing() const { return framing_; }

 private:
  enum class Stage : uint8_t { line, fields };
  ParseStatus parse_line(std::string_view bytes, const FieldLimits& limits);
  ParseStatus finish(http::Method method, http::Response& response);
  bool read_length(http::Response& response);
  [[gnu::cold]] ParseStatus fail(std::string_view reason) {
    error_ = {502, reason};
    return ParseStatus::error;
  }

  Stage stage_ = Stage::line;
  bool keep_alive_ = true;
  char minor_ = '1';
  int code_ = 0;
  uint32_t scanned_ = 0;
  http::BodyLength framing_;
  FieldReader fields_;
  ParseError error_;
};

}  // namespace http1
