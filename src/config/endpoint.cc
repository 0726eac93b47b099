#include "config/endpoint.h"

#include <format>

#include "base/text.h"
#include "config/diagnostics.h"
#include "http/target.h"

namespace config {
namespace {

std::unexpected<EndpointError> fail(std::string message, std::string hint) {
  return std::unexpected(EndpointError{.message = std::move(message), .hint = std::move(hint)});
}

}  // namespace

bool looks_like_endpoint(std::string_view text) {
  return text.contains("://") || text.starts_with("unix:") || text.contains(':');
}

std::expected<upstream::EndpointOptions, EndpointError> parse_endpoint(std::string_view url) {
  upstream::EndpointOptions endpoint;
  if (url.starts_with("unix:")) {
    const auto address = base::Address::parse(url);
    if (!address) {
      return fail(std::format("{} is not a socket's path", in_quotes(url)),
                  "write it like unix:/run/app.sock, from the root on");
    }
    endpoint.address = *address;
    endpoint.id = address->to_string();
    return endpoint;
  }
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) {
    return fail(std::format("{} is not a URL", in_quotes(url)),
                std::format("write {}", in_quotes(std::format("http://{}", url))));
  }
  const std::string scheme = base::lower(url.substr(0, colon));
  if (scheme != "http" && scheme != "https") {
    return fail(std::format("{} is not a scheme that an upstream can have", in_quotes(scheme)),
                "write http://, https:// or unix:/");
  }
  endpoint.tls = scheme == "https";
  std::string_view rest = url.substr(colon + 3);
  if (rest.ends_with('/') && rest.find('/') == rest.size() - 1) rest.remove_suffix(1);
  if (const std::size_t end = rest.find_first_of("/?#"); end != std::string_view::npos) {
    return fail(std::format("{} has more than scheme, host and port", in_quotes(url)),
                std::format("write {}; the filters strip_prefix, add_prefix and rewrite change "
                            "the path",
                            in_quotes(url.substr(0, colon + 3 + end))));
  }
  const auto authority = http::parse_authority(rest);
  if (!authority) {
    return fail(
        std::format("{} has no valid host: {}", in_quotes(url), http::to_string(authority.error())),
        "write it like http://127.0.0.1:3000 or https://origin.example");
  }
  endpoint.host = base::lower(authority->host);
  endpoint.port = authority->port.value_or(endpoint.tls ? 443 : 80);
  if (endpoint.port == 0) return fail(std::format("{} has port 0", in_quotes(url)), "");
  if (authority->kind != http::HostKind::kName) {
    if (const auto ip = base::Address::parse_ip(endpoint.host)) {
      endpoint.address = ip->with_port(endpoint.port);
    }
  }
  const bool brackets = authority->kind == http::HostKind::kIpv6;
  endpoint.id = std::format("{}://{}{}{}:{}", scheme, brackets ? "[" : "", endpoint.host,
                            brackets ? "]" : "", endpoint.port);
  return endpoint;
}

}  // namespace config
