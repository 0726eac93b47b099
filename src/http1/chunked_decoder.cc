#include "http1/chunked_decoder.h"

#include <algorithm>

#include "base/text.h"
#include "http/syntax.h"
#include "http1/framing.h"

namespace http1 {

ChunkedDecoder::Step ChunkedDecoder::fail(std::string_view reason, size_t consumed) {
  if (error_.status == 0) error_ = {400, reason};
  state_ = State::failed;
  return {Status::error, consumed, 0};
}

ChunkedDecoder::Step ChunkedDecoder::step(std::string_view input, http::Fields& trailers) {
  size_t at = 0;
  while (at < input.size()) {
    if (state_ == State::data) {
      return {Status::data, at, std::min<uint64_t>(left_, input.size() - at)};
    }
    if (state_ == State::trailers) {
      ParseStatus status = trailers_.read(input.substr(at), kTrailerLimits, trailers, true);
      if (status == ParseStatus::need_more) break;
      if (status == ParseStatus::error) return fail(trailers_.error().reason, at);
      trailers.remove_if([](const http::Field& field) { return !allowed_in_trailers(field); });
      state_ = State::done;
      return {Status::done, at + trailers_.end(), 0};
    }
    if (state_ == State::done) return {Status::done, at, 0};
    if (state_ == State::failed || !framing_byte(static_cast<unsigned char>(input[at]))) {
      return fail("invalid chunk (RFC 9112 7.1)", at);
    }
    ++at;
  }
  return {state_ == State::done ? Status::done : Status::need_more, at, 0};
}

bool ChunkedDecoder::framing_byte(unsigned char c) {
  ++overhead_;
  switch (state_) {
    case State::data_cr:
      if (c != '\r') return refuse("data longer than the chunk's size (RFC 9112 7.1)");
      state_ = State::data_lf;
      return true;
    case State::data_lf:
      if (c != '\n') return refuse("bare CR behind a chunk (RFC 9112 7.1)");
      // What a chunk costs is known when it is over.
      if (overhead_ > kOverheadMax + 4 * data_) return refuse("too little data for its framing");
      state_ = State::size_first;
      digits_ = 0;
      return true;
    case State::size_lf:
      return c == '\n' ? begin_data() : refuse("bare CR in a chunk's line");
    case State::size_first:
    case State::size:
    case State::size_space:
      return size_byte(c);
    default:
      break;
  }
  if (++extensions_ > kExtensionsMax) return refuse("chunk extensions over the limit");
  return extension_byte(c);
}

bool ChunkedDecoder::begin_data() {
  if (left_ != 0) {
    state_ = State::data;
    return true;
  }
  state_ = State::trailers;
  trailers_.begin(0);
  return true;
}

bool ChunkedDecoder::size_byte(unsigned char c) {
  int digit = base::hex_value(static_cast<char>(c));
  if (digit >= 0 && state_ != State::size_space) {
    // No wrapping past 2^64, and no endless zeros (S10).
    if (++digits_ > 16 || (digits_ == 16 && left_ >> 59 != 0)) {
      return refuse("chunk size over the limit");
    }
    left_ = left_ * 16 + static_cast<unsigned>(digit);
    state_ = State::size;
    return true;
  }
  if (state_ == State::size_first) return refuse("chunk without a size (RFC 9112 7.1)");
  if (c == ';') {
    state_ = State::extension_start;
    return true;
  }
  if (c == '\r' && state_ == State::size) {
    state_ = State::size_lf;
    return true;
  }
  // BWS is for the semicolon alone (RFC 9112 7.1.1).
  if (c == ' ' || c == '\t') {
    state_ = State::size_space;
    return ++extensions_ <= kExtensionsMax || refuse("chunk extensions over the limit");
  }
  return refuse("invalid chunk size (RFC 9112 7.1)");
}

// *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
bool ChunkedDecoder::extension_byte(unsigned char c) {
  const bool token = http::is_token_char(static_cast<char>(c));
  const bool space = c == ' ' || c == '\t';
  auto go = [this](State state) {
    state_ = state;
    return true;
  };
  switch (state_) {
    case State::extension_start:
      if (space) return true;
      return token ? go(State::extension_name) : refuse("chunk extension without a name");
    case State::extension_value_start:
      if (space) return true;
      if (c == '"') return go(State::extension_quoted);
      return token ? go(State::extension_token) : refuse("chunk extension without a value");
    case State::extension_quoted:
      if (c == '"') return go(State::extension_quoted_end);
      if (c == '\\') return go(State::extension_escape);
      return (c >= 0x20 && c != 0x7f) || c == '\t' || refuse("control in a chunk extension");
    case State::extension_escape:
      if ((c < 0x20 && c != '\t') || c == 0x7f) return refuse("control in a chunk extension");
      return go(State::extension_quoted);
    case State::extension_name:
      if (token) return true;
      [[fallthrough]];
    case State::extension_name_space:
      if (c == '=') return go(State::extension_value_start);
      if (space) return go(State::extension_name_space);
      break;
    case State::extension_token:
      if (token) return true;
      [[fallthrough]];
    default:
      if (space) return go(State::extension_space);
      break;
  }
  if (c == ';') return go(State::extension_start);
  // Whitespace only stands between parts, never before the end of the line.
  if (c == '\r' && state_ != State::extension_space && state_ != State::extension_name_space) {
    return go(State::size_lf);
  }
  return refuse("invalid chunk extension (RFC 9112 7.1.1)");
}

}  // namespace http1
