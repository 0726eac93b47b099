// Decodes the chunked transfer coding (RFC 9112 7.1) without copying.
//
// Incremental: step() eats framing and shows data as a view of the input; the caller passes it on
// and calls advance() with how much was taken. Extensions are checked and dropped; what they and
// the framing of tiny chunks may cost is capped (S11). Strict: CRLF only, 1 to 16 hexadecimal
// digits, no space but before the semicolon of an extension (S10, S12, S13). Trailers are read when
// they are there as a whole, so the input must then be kept: `need_more` without progress.
#pragma once

#include <cstdint>
#include <string_view>

#include "http1/field_reader.h"

namespace http1 {

class ChunkedDecoder {
 public:
  // All bytes of extensions in a message.
  static constexpr uint32_t kExtensionsMax = 16 * 1024;
  // Framing may be this much more than four times the data: some 65,000 chunks of one byte, which
  // is what a terminal sends in hours, and an attacker in a second.
  static constexpr uint64_t kOverheadMax = 64 * 1024;
  static constexpr FieldLimits kTrailerLimits{8 * 1024, 16 * 1024, 64};

  void reset() { *this = {}; }

  enum class Status : uint8_t {
    need_more,  // all but `consumed` bytes must come again, with more behind
    data,       // input[consumed, consumed + data_size) is content: see advance()
    done,       // the message ended at `consumed`; trailers view the input
    error,
  };
  struct Step {
    Status status;
    size_t consumed;   // of the input, framing
    size_t data_size;  // that follow and are content
  };
  Step step(std::string_view input, http::Fields& trailers);
  // `size` bytes of the data shown were taken.
  void advance(uint64_t size) {
    left_ -= size;
    data_ += size;
    if (left_ == 0) state_ = State::data_cr;
  }
  const ParseError& error() const { return error_; }
  bool done() const { return state_ == State::done; }
  uint64_t data_size() const { return data_; }

 private:
  enum class State : uint8_t {
    size_first,
    size,
    size_space,
    size_lf,
    extension_start,
    extension_name,
    extension_name_space,
    extension_value_start,
    extension_token,
    extension_quoted,
    extension_escape,
    extension_quoted_end,
    extension_space,
    data,
    data_cr,
    data_lf,
    trailers,
    done,
    failed,
  };
  [[gnu::cold]] Step fail(std::string_view reason, size_t consumed);
  bool framing_byte(unsigned char c);
  bool size_byte(unsigned char c);
  bool extension_byte(unsigned char c);
  bool begin_data();
  [[gnu::cold]] bool refuse(std::string_view reason) {
    error_ = {400, reason};
    return false;
  }

  State state_ = State::size_first;
  uint8_t digits_ = 0;
  uint32_t extensions_ = 0;
  uint64_t left_ = 0;      // of this chunk
  uint64_t data_ = 0;      // of all
  uint64_t overhead_ = 0;  // framing so far
  FieldReader trailers_;
  ParseError error_;
};

}  // namespace http1
