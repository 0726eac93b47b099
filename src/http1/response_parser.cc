#include "http1/response_parser.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "http/status.h"
#include "http1/framing.h"
#include "http1/scan.h"

namespace http1 {

namespace {

// Up to and with the code. A digit stands for a class: d any, c the first of a code.
constexpr std::string_view kForm = "HTTP/1.d cdd";

bool fits(char found, char wanted) {
  if (wanted == 'd') return base::is_digit(found);
  if (wanted == 'c') return found >= '1' && found <= '5';
  return found == wanted;
}

// What nearly all begin with.
bool is_usual(const char* line) {
  return std::memcmp(line, "HTTP/1.1 ", 9) == 0 && line[9] >= '1' && line[9] <= '5' &&
         base::is_digit(line[10]) && base::is_digit(line[11]);
}

}  // namespace

ParseStatus ResponseParser::parse(std::string_view bytes, const FieldLimits& limits,
                                  http::Method method, http::Response& response) {
  if (stage_ == Stage::line) {
    ParseStatus status = parse_line(bytes, limits);
    if (status != ParseStatus::done) return status;
    stage_ = Stage::fields;
    fields_.begin(scanned_);
  }
  ParseStatus status = fields_.read(bytes, limits, response.fields, false);
  if (status == ParseStatus::done) return finish(method, response);
  if (status == ParseStatus::error) error_ = fields_.error();
  return status;
}

ParseStatus ResponseParser::parse_line(std::string_view bytes, const FieldLimits& limits) {
  const char* data = bytes.data();
  if (scanned_ == 0 && bytes.size() >= kForm.size() && is_usual(data)) scanned_ = kForm.size();
  while (scanned_ < kForm.size()) {
    if (scanned_ == bytes.size()) return ParseStatus::need_more;
    if (!fits(data[scanned_], kForm[scanned_])) {
      return fail("invalid status line (RFC 9112 4)");
    }
    ++scanned_;
  }
  minor_ = data[7];
  code_ = (data[9] - '0') * 100 + (data[10] - '0') * 10 + (data[11] - '0');
  const char* cap = data + std::min<size_t>(bytes.size(), limits.field_size_max);
  const char* at = skip_value(data, data + scanned_, cap);
  scanned_ = static_cast<uint32_t>(at - data);
  if (at > data + kForm.size() && data[kForm.size()] != ' ') {
    return fail("invalid status code (RFC 9112 4)");
  }
  if (at == cap || (*at == '\r' && at + 1 == cap)) {
    if (cap == data + bytes.size()) return ParseStatus::need_more;
    error_ = {431, "status line over the limit"};
    return ParseStatus::error;
  }
  if (*at != '\r' || at[1] != '\n') return fail("bare CR, LF or control in the status line");
  scanned_ += 2;
  return ParseStatus::done;
}

ParseStatus ResponseParser::finish(http::Method method, http::Response& response) {
  response.status = code_;
  keep_alive_ = minor_ != '0';
  ConnectionOptions options = read_connection_options(response.fields);
  if (options.close) {
    keep_alive_ = false;
  } else if (options.keep_alive) {
    keep_alive_ = true;
  }
  if (!read_length(response)) return ParseStatus::error;
  framing_ = response.body;
  if (method == http::Method::head || !http::status_has_body(code_)) {
    framing_ = {};
    // Without a field that says so, nothing is known of a length (RFC 9110 8.6).
    if (response.body.kind == http::BodyKind::until_close) response.body = {};
    if (code_ < 200 || code_ == 204) response.body = {};  // RFC 9110 8.6: MUST NOT have one
  } else if (framing_.kind == http::BodyKind::until_close) {
    keep_alive_ = false;
  }
  return ParseStatus::done;
}

// RFC 9112 6.3.
bool ResponseParser::read_length(http::Response& response) {
  http::Fields& fields = response.fields;
  response.body = {http::BodyKind::until_close, 0};
  if (fields.has(http::FieldName::content_length)) {
    std::optional<uint64_t> size;
    for (const http::Field& field : fields.all()) {
      if (field.id != http::FieldName::content_length) continue;
      std::string_view rest = field.value;
      if (rest.empty() || rest.ends_with(',')) return fail("empty Content-Length"), false;
      while (auto element = base::next_piece(rest, ',')) {
        auto value = read_content_length(*element);
        if (!value || (size && *size != *value)) {
          return fail("invalid or different Content-Length (RFC 9112 6.3)"), false;
        }
        size = value;
      }
    }
    response.body = http::BodyLength::of(*size);
    fields.remove(http::FieldName::content_length);
    if (fields.has(http::FieldName::transfer_encoding)) keep_alive_ = false;
  }
  if (fields.has(http::FieldName::transfer_encoding)) {
    // RFC 9112 6.1: in HTTP/1.0 the framing is faulty.
    if (minor_ == '0' || fields_.repeated(FieldReader::kTransferEncoding) ||
        read_transfer_encoding(fields.value(http::FieldName::transfer_encoding)) !=
            TransferCoding::chunked) {
      return fail("unknown or invalid Transfer-Encoding (RFC 9112 6.1, 6.3)"), false;
    }
    response.body = {http::BodyKind::unknown, 0};
    fields.remove(http::FieldName::transfer_encoding);
  }
  return true;
}

}  // namespace http1
