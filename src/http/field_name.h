// Names of fields (RFC 9110 5.1) as small numbers, so that what the server itself looks at is found
// without comparing text, in every version of HTTP.
//
// A name is looked up once, when its field is parsed. What isn't listed is `other` and compared by
// text, without regard to case.
#pragma once

#include <cstdint>
#include <string_view>

namespace http {

// clang-format off
#define WEBSHIP_FIELD_NAMES(X)                                                                   \
  X(accept, "Accept") X(accept_encoding, "Accept-Encoding") X(accept_ranges, "Accept-Ranges")    \
  X(age, "Age") X(allow, "Allow") X(alt_svc, "Alt-Svc") X(authorization, "Authorization")        \
  X(cache_control, "Cache-Control") X(connection, "Connection")                                  \
  X(content_encoding, "Content-Encoding") X(content_length, "Content-Length")                    \
  X(content_location, "Content-Location") X(content_range, "Content-Range")                      \
  X(content_type, "Content-Type") X(cookie, "Cookie") X(date, "Date") X(early_data, "Early-Data")\
  X(etag, "ETag") X(expect, "Expect") X(expires, "Expires") X(forwarded, "Forwarded")            \
  X(host, "Host") X(http2_settings, "HTTP2-Settings") X(if_match, "If-Match")                    \
  X(if_modified_since, "If-Modified-Since") X(if_none_match, "If-None-Match")                    \
  X(if_range, "If-Range") X(if_unmodified_since, "If-Unmodified-Since")                          \
  X(keep_alive, "Keep-Alive") X(last_modified, "Last-Modified") X(link, "Link")                  \
  X(location, "Location") X(max_forwards, "Max-Forwards") X(origin, "Origin")                    \
  X(priority, "Priority") X(proxy, "Proxy") X(proxy_authenticate, "Proxy-Authenticate")          \
  X(proxy_authorization, "Proxy-Authorization") X(proxy_connection, "Proxy-Connection")          \
  X(range, "Range") X(referer, "Referer") X(retry_after, "Retry-After")                          \
  X(sec_websocket_accept, "Sec-WebSocket-Accept") X(sec_websocket_key, "Sec-WebSocket-Key")      \
  X(sec_websocket_version, "Sec-WebSocket-Version") X(server, "Server")                          \
  X(set_cookie, "Set-Cookie") X(strict_transport_security, "Strict-Transport-Security")          \
  X(te, "TE") X(traceparent, "Traceparent") X(trailer, "Trailer")                                \
  X(transfer_encoding, "Transfer-Encoding") X(upgrade, "Upgrade") X(user_agent, "User-Agent")    \
  X(vary, "Vary") X(via, "Via") X(www_authenticate, "WWW-Authenticate")                          \
  X(x_forwarded_for, "X-Forwarded-For") X(x_forwarded_host, "X-Forwarded-Host")                  \
  X(x_forwarded_proto, "X-Forwarded-Proto") X(x_real_ip, "X-Real-IP")                            \
  X(x_request_id, "X-Request-ID")
// clang-format on

enum class FieldName : uint8_t {
  other,
#define WEBSHIP_X(id, text) id,
  WEBSHIP_FIELD_NAMES(WEBSHIP_X)
#undef WEBSHIP_X
};

// In any case; `other` for what is not listed.
FieldName field_name(std::string_view name);
// The same for a name of at most 16 bytes where 16 can be read from its first on.
FieldName field_name_in16(std::string_view name);
// As the RFCs spell it.
std::string_view field_text(FieldName name);

}  // namespace http
