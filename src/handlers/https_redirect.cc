#include "handlers/https_redirect.h"

#include <string>

#include "base/text.h"

namespace handlers {

http::FilterOutcome HttpsRedirect::filter(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  if (request.scheme == "https") return http::Verdict::next;
  if (request.host.empty()) {  // HTTP/1.0 without Host: there is no address to send it to
    exchange.respond(400);
    return http::Verdict::answered;
  }
  std::string location = "https://";
  const bool ipv6 = request.host.contains(':') && !request.host.starts_with('[');
  if (ipv6) location += '[';
  location += request.host;
  if (ipv6) location += ']';
  if (options_.port != 443) {
    location += ':';
    base::append_decimal(location, options_.port);
  }
  // The target, so that a prefix that was taken off before doesn't get lost; not so with the
  // absolute form, which names its host itself.
  if (request.target.starts_with('/')) {
    location += request.target;
  } else {
    location += request.raw_path.starts_with('/') ? request.raw_path : "/";
    if (request.has_query) (location += '?') += request.query;
  }
  const std::string_view text = exchange.arena().copy(location);
  exchange.response().fields.set(http::FieldName::location, text);
  exchange.respond(options_.status);
  return http::Verdict::answered;
}

}  // namespace handlers
