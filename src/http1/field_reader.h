// Reads field lines (RFC 9112 5) up to the empty line behind them: of requests, responses,
// trailers.
//
// Incremental: read() gets a view that begins at the same byte each time and is longer, and goes on
// where it stopped, so that single bytes cost no more than one whole. Strict: no obs-fold (5.2), no
// space before the colon (5.1), no bare CR or LF (2.2), no controls in values, names are tokens.
// What it decides about an input depends only on the bytes up to there, never on how they were cut.
// The fields are views into the last view given. Limits: S28, S27.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/fields.h"

namespace http1 {

struct FieldLimits {
  uint32_t field_size_max;   // one line with its CRLF
  uint32_t fields_size_max;  // all lines
  uint32_t fields_max;
};

// Why an input was refused; `reason` is a literal, for the log.
struct ParseError {
  int status = 0;
  std::string_view reason;
};

enum class ParseStatus : uint8_t { need_more, done, error };

class FieldReader {
 public:
  // Fields begin at this offset of the views to come.
  void begin(size_t offset) {
    *this = {};
    section_ = line_ = scanned_ = static_cast<uint32_t>(offset);
  }
  // Appends to `fields` what is complete. `drop_underscores`: names with `_` are left out, for some
  // origins take them for the same as those with `-` (S09, S31).
  ParseStatus read(std::string_view bytes, const FieldLimits& limits, http::Fields& fields,
                   bool drop_underscores);
  // Offset behind the empty line.
  size_t end() const { return line_; }
  const ParseError& error() const { return error_; }

  // Names that came more than once, of those for which it matters.
  static constexpr uint8_t kHost = 1, kContentLength = 2, kTransferEncoding = 4, kExpect = 8;
  bool repeated(uint8_t name) const { return (repeated_ & name) != 0; }

 private:
  [[gnu::cold]] ParseStatus fail(int status, std::string_view reason) {
    error_ = {status, reason};
    return ParseStatus::error;
  }
  [[gnu::cold]] ParseStatus out_of_bytes(bool limited);
  bool read_name(const char* data, const char* cap, http::Field& field, const char*& at);
  void note_repeated(http::FieldName id);

  const char* base_ = nullptr;  // of the last view
  uint32_t section_ = 0;        // offsets into it: of the first line,
  uint32_t line_ = 0;           // of the line in progress,
  uint32_t scanned_ = 0;        // of the first byte not looked at,
  uint32_t colon_ = 0;          // of this line's colon, 0 before it was found
  uint32_t count_ = 0;
  uint8_t repeated_ = 0;
  ParseError error_;
};

}  // namespace http1
