#include "http1/field_reader.h"

#include <algorithm>

#include "base/text.h"
#include "http1/scan.h"

namespace http1 {

namespace {

ParseError name_error(char found) {
  if (base::is_ows(found)) {
    return {400, "whitespace in or before a field name (RFC 9112 5.1, 5.2)"};
  }
  if (found == '\r' || found == '\n') return {400, "field line without a colon (RFC 9112 5)"};
  if (found == ':') return {400, "empty field name (RFC 9110 5.1)"};
  return {400, "invalid character in a field name (RFC 9110 5.1)"};
}

ParseError value_error(char found) {
  if (found == '\n') return {400, "bare LF in a field line (RFC 9112 2.2)"};
  return {400, "control character in a field value (RFC 9110 5.5)"};
}

}  // namespace

void FieldReader::note_repeated(http::FieldName id) {
  switch (id) {
    case http::FieldName::host:
      repeated_ |= kHost;
      break;
    case http::FieldName::content_length:
      repeated_ |= kContentLength;
      break;
    case http::FieldName::transfer_encoding:
      repeated_ |= kTransferEncoding;
      break;
    case http::FieldName::expect:
      repeated_ |= kExpect;
      break;
    default:
      break;
  }
}

ParseStatus FieldReader::out_of_bytes(bool limited) {
  if (!limited) return ParseStatus::need_more;
  return fail(431, "field line or section over the limit");
}

// Finds the colon and sets id and name. False: error_ is set, or, without one, the bytes ran out.
inline bool FieldReader::read_name(const char* data, const char* cap, http::Field& field,
                                   const char*& at) {
  const char* line = data + line_;
  if (at == line && cap - line >= 16) {
    // Nearly every name is known and short: then neither its bytes nor its end need a loop.
    size_t n = base::first16(base::equal16(base::load16(line), ':'));
    if (n != 0 && n < 16) {
      field.name = {line, n};
      field.id = http::field_name_in16(field.name);
      if (field.id != http::FieldName::other) {
        at = line + n;
        return true;
      }
    }
  }
  at = skip_token(at, cap);
  if (at == cap) return false;
  if (*at != ':' || at == line) {
    error_ = name_error(*at);
    return false;
  }
  field.name = {line, static_cast<size_t>(at - line)};
  field.id = http::field_name(field.name);
  return true;
}

ParseStatus FieldReader::read(std::string_view bytes, const FieldLimits& limits,
                              http::Fields& fields, bool drop_underscores) {
  const char* data = bytes.data();
  const char* end = data + bytes.size();
  if (data != base_) {
    if (base_ != nullptr) fields.rebase(base_, line_, data);
    base_ = data;
  }
  const char* section_cap =
      data + std::min<size_t>(bytes.size(), section_ + limits.fields_size_max);
  for (;;) {
    const char* line = data + line_;
    if (line == end) return ParseStatus::need_more;
    if (*line == '\r') {
      if (line + 1 == end) return ParseStatus::need_more;
      if (line[1] != '\n') return fail(400, "bare CR (RFC 9112 2.2)");
      line_ += 2;
      return ParseStatus::done;
    }
    if (count_ == limits.fields_max) return fail(431, "too many fields");
    const char* cap =
        section_cap - line > limits.field_size_max ? line + limits.field_size_max : section_cap;
    http::Field field;
    const char* at = data + scanned_;
    if (colon_ == 0) {
      if (!read_name(data, cap, field, at)) {
        scanned_ = static_cast<uint32_t>(at - data);
        return error_.status != 0 ? ParseStatus::error : out_of_bytes(cap != end);
      }
      colon_ = static_cast<uint32_t>(at - data);
      ++at;
    } else {
      field.name = {line, colon_ - line_};
      field.id = http::field_name(field.name);
    }
    at = skip_value(data, at, cap);
    scanned_ = static_cast<uint32_t>(at - data);
    if (at == cap) return out_of_bytes(cap != end);
    if (*at != '\r') return fail(value_error(*at).status, value_error(*at).reason);
    if (at + 1 == cap) return out_of_bytes(cap != end);
    if (at[1] != '\n') return fail(400, "bare CR (RFC 9112 2.2)");
    const char* value = data + colon_ + 1;
    if (value != at && *value == ' ') ++value;  // nearly always that is all there is
    field.value = {value, static_cast<size_t>(at - value)};
    if (value != at && (base::is_ows(*value) || base::is_ows(at[-1]))) {
      field.value = base::trim(field.value);
    }
    ++count_;
    line_ = scanned_ = static_cast<uint32_t>(at + 2 - data);
    colon_ = 0;
    bool known = field.id != http::FieldName::other;
    if (known && fields.has(field.id)) note_repeated(field.id);
    if (drop_underscores && !known && field.name.find('_') != std::string_view::npos) continue;
    fields.push(field);
  }
}

}  // namespace http1
