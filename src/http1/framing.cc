#include "http1/framing.h"

#include "base/text.h"
#include "http/forwarding_name.h"
#include "http/syntax.h"

namespace http1 {

std::optional<uint64_t> read_content_length(std::string_view value) {
  if (value.empty()) return std::nullopt;
  uint64_t size = 0;
  for (char c : value) {
    if (!base::is_digit(c)) return std::nullopt;
    auto digit = static_cast<uint64_t>(c - '0');
    if (size > (INT64_MAX - digit) / 10) return std::nullopt;
    size = size * 10 + digit;
  }
  return size;
}

TransferCoding read_transfer_encoding(std::string_view value) {
  if (base::iequals(value, "chunked")) return TransferCoding::chunked;
  // An empty element or one with parameters is not what anybody sends who means well.
  if (value.ends_with(',')) return TransferCoding::invalid;
  std::string_view last;
  size_t chunked = 0;
  while (auto coding = base::next_piece(value, ',')) {
    if (!http::is_token(*coding)) return TransferCoding::invalid;
    last = *coding;
    chunked += base::iequals(last, "chunked") ? 1 : 0;
  }
  bool final_chunked = chunked == 1 && base::iequals(last, "chunked");
  return final_chunked ? TransferCoding::unknown : TransferCoding::invalid;
}

ConnectionOptions read_connection_options(const http::Fields& fields) {
  ConnectionOptions options;
  for (const http::Field& field : fields.all()) {
    if (field.id != http::FieldName::connection) continue;
    if (base::iequals(field.value, "keep-alive")) {  // what most say, and all that they say
      options.keep_alive = true;
      continue;
    }
    std::string_view rest = field.value;
    while (auto option = base::next_piece(rest, ',')) {
      if (base::iequals(*option, "close")) options.close = true;
      if (base::iequals(*option, "keep-alive")) options.keep_alive = true;
      if (base::iequals(*option, "upgrade")) options.upgrade = true;
    }
  }
  return options;
}

namespace {

// protocol-name [ "/" protocol-version ]
bool is_protocol(std::string_view text) {
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) return http::is_token(text);
  return http::is_token(text.substr(0, slash)) && http::is_token(text.substr(slash + 1));
}

}  // namespace

std::string_view read_upgrade(const http::Fields& fields) {
  for (const http::Field& field : fields.all()) {
    if (field.id != http::FieldName::upgrade) continue;
    std::string_view rest = field.value;
    while (auto protocol = base::next_piece(rest, ',')) {
      if (!is_protocol(*protocol)) continue;
      std::string_view name = protocol->substr(0, protocol->find('/'));
      if (base::iequals(name, "h2c") || base::iequals(name, "h2") || base::iequals(name, "HTTP") ||
          base::iequals(name, "TLS")) {
        continue;
      }
      return *protocol;
    }
  }
  return {};
}

bool allowed_in_trailers(const http::Field& field) {
  using enum http::FieldName;
  switch (field.id) {
    case transfer_encoding:
    case content_length:
    case trailer:
    case connection:
    case keep_alive:
    case proxy_connection:
    case upgrade:
    case http2_settings:
    case te:
    case host:
    case expect:
    case max_forwards:
    case range:
    case if_match:
    case if_none_match:
    case if_modified_since:
    case if_unmodified_since:
    case if_range:
    case authorization:
    case proxy_authorization:
    case proxy_authenticate:
    case www_authenticate:
    case cookie:
    case set_cookie:
    case forwarded:
    case x_forwarded_for:
    case x_forwarded_host:
    case x_forwarded_proto:
    case x_real_ip:
    case via:
    case proxy:
    case origin:
    case early_data:
    case x_request_id:
    case traceparent:
    case content_encoding:
    case content_type:
    case content_range:
    case content_location:
    case cache_control:
    case age:
    case expires:
    case date:
    case location:
    case retry_after:
    case vary:
    case strict_transport_security:
    case alt_svc:
    case link:
    case priority:
      return false;
    default:
      break;
  }
  return !http::is_forwarding_name(field.name) && field.name.find('_') == std::string_view::npos;
}

}  // namespace http1
