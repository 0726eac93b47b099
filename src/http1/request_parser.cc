#include "http1/request_parser.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "http/syntax.h"
#include "http/target.h"
#include "http1/framing.h"
#include "http1/scan.h"

namespace http1 {

namespace {

constexpr uint32_t kEmptyLinesMax = 2;  // before a request (S19)
// Longer than any registered method: 501 (RFC 9112 3), so that a stream of letters ends early
// (S34).
constexpr uint32_t kMethodMax = 64;

ParseError method_error(std::string_view line, char found) {
  if (line.front() == '\x16') return {400, "TLS on a cleartext port"};
  if (found == '\r' || found == '\n') return {400, "request line without a target (RFC 9112 3)"};
  if (line.front() == ' ') return {400, "whitespace before the request line (RFC 9112 2.2)"};
  return {400, "invalid method (RFC 9110 9.1)"};
}

ParseError target_error(char found, bool empty) {
  if (found == ' ' && empty) return {400, "more than one space after the method (RFC 9112 3)"};
  if (found == '\r' || found == '\n') return {400, "no version, or HTTP/0.9 (RFC 9112 3)"};
  return {400, "invalid character in the target (RFC 9112 3.2)"};
}

}  // namespace

ParseStatus RequestParser::parse(std::string_view bytes, const http::Limits& limits,
                                 http::Request& request, base::Arena& arena) {
  if (stage_ != Stage::fields) {
    ParseStatus status = parse_line(bytes, limits);
    if (status != ParseStatus::done) return status;
    stage_ = Stage::fields;
    fields_.begin(scanned_);
  }
  FieldLimits field_limits{limits.field_size_max, limits.fields_size_max, limits.fields_max};
  ParseStatus status = fields_.read(bytes, field_limits, request.fields, true);
  if (status == ParseStatus::done) return finish(bytes, request, arena);
  if (status == ParseStatus::error) error_ = fields_.error();
  return status;
}

ParseStatus RequestParser::skip_empty_lines(std::string_view bytes) {
  while (start_ < bytes.size() && bytes[start_] == '\r') {
    if (start_ == 2 * kEmptyLinesMax) return fail(400, "too many empty lines (RFC 9112 2.2)");
    if (start_ + 1 == bytes.size()) return ParseStatus::need_more;
    if (bytes[start_ + 1] != '\n') return fail(400, "bare CR (RFC 9112 2.2)");
    start_ += 2;
  }
  if (start_ == bytes.size()) return ParseStatus::need_more;
  scanned_ = start_;
  stage_ = Stage::method;
  return ParseStatus::done;
}

ParseStatus RequestParser::parse_line(std::string_view bytes, const http::Limits& limits) {
  if (stage_ == Stage::leading) {
    ParseStatus status = skip_empty_lines(bytes);
    if (status != ParseStatus::done) return status;
  }
  const char* data = bytes.data();
  const char* cap = data + std::min<size_t>(bytes.size(), start_ + limits.request_line_max);
  const bool limited = cap != data + bytes.size();
  const char* at = data + scanned_;
  auto out_of_bytes = [&] {
    scanned_ = static_cast<uint32_t>(at - data);
    return limited ? fail(414, "request line over the limit") : ParseStatus::need_more;
  };
  if (stage_ == Stage::method) {
    const char* line = data + start_;
    at = skip_token(at, std::min(cap, line + std::min<ptrdiff_t>(cap - line, kMethodMax)));
    if (at - line == kMethodMax) return fail(501, "method over the limit (RFC 9112 3)");
    if (at == cap) return out_of_bytes();
    if (*at != ' ' || at == line) {
      error_ = method_error({line, static_cast<size_t>(cap - line)}, *at);
      return ParseStatus::error;
    }
    method_end_ = static_cast<uint32_t>(at++ - data);
    stage_ = Stage::target;
  }
  if (stage_ == Stage::target) {
    at = skip_target(data, at, cap);
    if (at == cap) return out_of_bytes();
    bool empty = at == data + method_end_ + 1;
    if (*at != ' ' || empty) {
      error_ = target_error(*at, empty);
      return ParseStatus::error;
    }
    target_end_ = static_cast<uint32_t>(at++ - data);
    scanned_ = static_cast<uint32_t>(at - data);
    stage_ = Stage::version;
  }
  return parse_version(data, cap, limited);
}

ParseStatus RequestParser::parse_version(const char* data, const char* cap, bool limited) {
  constexpr std::string_view kForm = "HTTP/d.d\r\n";
  const char* at = data + scanned_;
  if (cap - at < 10 || std::memcmp(at, "HTTP/1.1\r\n", 10) != 0) {
    for (size_t i = 0; i < kForm.size(); ++i) {
      if (at + i == cap) {
        return limited ? fail(414, "request line over the limit") : ParseStatus::need_more;
      }
      bool good = kForm[i] == 'd' ? base::is_digit(at[i]) : at[i] == kForm[i];
      if (!good) return fail(400, "invalid version or end of the request line (RFC 9112 2.3, 3)");
    }
    // Also the preface of HTTP/2 (S34).
    if (at[5] != '1') return fail(505, "another major version of HTTP");
  }
  minor_ = at[7];
  scanned_ += 10;
  return ParseStatus::done;
}

ParseStatus RequestParser::finish(std::string_view bytes, http::Request& request,
                                  base::Arena& arena) {
  request.method_text = bytes.substr(start_, method_end_ - start_);
  request.method = http::parse_method(request.method_text);
  request.target = bytes.substr(method_end_ + 1, target_end_ - method_end_ - 1);
  request.version = minor_ == '0' ? http::Version::http10 : http::Version::http11;
  request.scheme = secure_ ? "https" : "http";
  keep_alive_ = request.version == http::Version::http11;
  if (!read_target(request, arena) || !read_framing(request)) return ParseStatus::error;
  if (request.fields.has(http::FieldName::expect) && !read_expect(request)) {
    return ParseStatus::error;
  }
  if (request.fields.has(http::FieldName::connection)) read_connection(request);
  return ParseStatus::done;
}

bool RequestParser::read_target(http::Request& request, base::Arena& arena) {
  auto target = request.method == http::Method::connect ? http::parse_connect_target(request.target)
                                                        : http::parse_target(request.target);
  if (!target) {
    // A scheme that nobody serves here is a request for somebody else, like any bad target.
    return refuse(400, "invalid target (RFC 9112 3.2)");
  }
  bool absolute = false;
  switch (target->form) {
    case http::TargetForm::kAsterisk:
      if (request.method != http::Method::options) {
        return refuse(400, "the target * is for OPTIONS only (RFC 9112 3.2.4)");
      }
      request.raw_path = "*";
      break;
    case http::TargetForm::kAbsolute:
      if (target->https != secure_)
        return refuse(421, "the target's scheme is not the connection's");
      [[fallthrough]];
    case http::TargetForm::kAuthority:
      absolute = true;
      request.authority = target->authority.text;
      break;
    case http::TargetForm::kOrigin:
      break;
  }
  if (target->form != http::TargetForm::kAsterisk) request.raw_path = target->path;
  request.query = target->query;
  request.has_query = target->has_query;
  return read_host(request, arena, absolute);
}

// RFC 9112 3.2: one Host, always valid; the authority of an absolute target replaces it (3.2.2), in
// the fields too, so that nobody behind sees another (S16, S17).
bool RequestParser::read_host(http::Request& request, base::Arena& arena, bool absolute) {
  const http::Field* field = request.fields.find(http::FieldName::host);
  if (field == nullptr && request.version == http::Version::http11) {
    return refuse(400, "no Host (RFC 9112 3.2)");
  }
  if (fields_.repeated(FieldReader::kHost)) return refuse(400, "more than one Host (RFC 9112 3.2)");
  if (field != nullptr && absolute && !http::parse_authority(field->value)) {
    return refuse(400, "invalid Host (RFC 9112 3.2)");
  }
  if (field == nullptr && !absolute) return true;
  std::string_view text = absolute ? request.authority : field->value;
  if (known_host_.is(text)) {
    known_host_.give(text, request);
  } else if (!parse_host(text, request, arena)) {
    return false;
  }
  if (absolute) request.fields.set(http::FieldName::host, request.authority);
  return true;
}

bool RequestParser::parse_host(std::string_view text, http::Request& request, base::Arena& arena) {
  auto authority = http::parse_authority(text);
  if (!authority) return refuse(400, "invalid Host (RFC 9112 3.2)");
  request.authority = text;
  if (authority->port) request.port = text.substr(text.rfind(':') + 1);
  std::string_view host = authority->host;
  if (base::has_upper(host)) {
    char* scratch = arena.allocate(host.size());
    if (scratch == nullptr) return refuse(431, "no memory for the host");
    host = http::lower_host(host, scratch);
  }
  request.host = host;
  known_host_.remember(text, request);
  return true;
}

void RequestParser::KnownHost::remember(std::string_view authority, const http::Request& request) {
  size = 0;
  // In lower case and without brackets, so that the host is what the authority begins with.
  if (authority.size() > text.size() || request.host.data() != authority.data()) return;
  std::memcpy(text.data(), authority.data(), authority.size());
  size = static_cast<uint8_t>(authority.size());
  host_size = static_cast<uint8_t>(request.host.size());
  port_size = static_cast<uint8_t>(request.port.size());
}

void RequestParser::KnownHost::give(std::string_view authority, http::Request& request) const {
  request.authority = authority;
  request.host = authority.substr(0, host_size);
  if (port_size != 0) request.port = authority.substr(size_t{size} - port_size);
}

// RFC 9112 6.3. Nothing that two readers could take for two lengths is let through (S01–S08).
bool RequestParser::read_framing(http::Request& request) {
  const http::Fields& fields = request.fields;
  if (fields.has(http::FieldName::transfer_encoding)) {
    if (request.version == http::Version::http10) {
      return refuse(400, "Transfer-Encoding in HTTP/1.0 (RFC 9112 6.1)");
    }
    if (fields.has(http::FieldName::content_length)) {
      return refuse(400, "Transfer-Encoding with Content-Length (RFC 9112 6.3)");
    }
    std::string_view value = fields.value(http::FieldName::transfer_encoding);
    if (fields_.repeated(FieldReader::kTransferEncoding)) value = {};
    switch (read_transfer_encoding(value)) {
      case TransferCoding::chunked:
        break;
      case TransferCoding::unknown:
        return refuse(501, "unknown transfer coding (RFC 9112 6.1)");
      case TransferCoding::invalid:
        return refuse(400, "invalid Transfer-Encoding (RFC 9112 6.3)");
    }
    request.body = {http::BodyKind::unknown, 0};
  } else if (fields.has(http::FieldName::content_length)) {
    if (fields_.repeated(FieldReader::kContentLength)) {
      return refuse(400, "more than one Content-Length (RFC 9110 8.6)");
    }
    auto size = read_content_length(fields.value(http::FieldName::content_length));
    if (!size) return refuse(400, "invalid Content-Length (RFC 9110 8.6)");
    request.body = http::BodyLength::of(*size);
  }
  return true;
}

bool RequestParser::read_expect(http::Request& request) {
  if (request.version == http::Version::http10) return true;  // RFC 9110 10.1.1: MUST ignore
  if (fields_.repeated(FieldReader::kExpect) ||
      !base::iequals(request.fields.value(http::FieldName::expect), "100-continue")) {
    return refuse(417, "unknown expectation (RFC 9110 10.1.1)");
  }
  request.expects_continue = !request.body.empty();
  return true;
}

// RFC 9112 9.3 and 9.6; RFC 9110 7.8 for Upgrade (S24, S25).
void RequestParser::read_connection(http::Request& request) {
  ConnectionOptions options = read_connection_options(request.fields);
  if (options.close) {
    keep_alive_ = false;
  } else if (options.keep_alive) {
    keep_alive_ = true;
  }
  // With a body behind the head it would be unclear where the tunnel begins.
  if (options.upgrade && request.version == http::Version::http11 &&
      request.method == http::Method::get && request.body.empty()) {
    request.upgrade = read_upgrade(request.fields);
  }
}

}  // namespace http1
