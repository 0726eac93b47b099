#include <algorithm>
#include <format>
#include <print>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/one_liner.h"
#include "config/endpoint.h"
#include "http/variables.h"
#include "server/server.h"

namespace cli {
namespace {

// `localhost:3000` is http; a port alone is on this machine.
std::string full_url(const std::string& text) {
  if (text.contains("://") || text.starts_with("unix:")) return text;
  if (text.starts_with(':')) return "http://localhost" + text;
  const bool is_port = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return (is_port ? "http://localhost:" : "http://") + text;
}

// Host as the origin itself has it: name, and port unless it is the scheme's own.
base::Template host_of(const upstream::EndpointOptions& endpoint) {
  if (endpoint.host.empty()) return base::Template::verbatim("localhost");
  std::string host = endpoint.host;
  if (host.contains(':')) host = "[" + host + "]";
  const std::uint16_t usual = endpoint.tls ? 443 : 80;
  return base::Template::verbatim(
      endpoint.port == usual ? host : std::format("{}:{}", host, endpoint.port));
}

}  // namespace

int proxy(const ProxyArguments& arguments) {
  upstream::GroupOptions group;
  for (const std::string& text : arguments.to) {
    auto endpoint = config::parse_endpoint(full_url(text));
    if (!endpoint) {
      return fail(endpoint.error().message +
                  (endpoint.error().hint.empty() ? "" : "; " + endpoint.error().hint));
    }
    if (!group.name.empty()) group.name += ",";
    group.name += endpoint->id;
    group.endpoints.push_back(std::move(*endpoint));
  }
  group.tls.verify = !arguments.insecure;

  proxy::Options handler;
  handler.upstream = group.name;
  if (arguments.change_host) handler.host = host_of(group.endpoints.front());
  auto options = one_site(arguments.from, std::move(handler), arguments.quiet);
  if (!options) return fail(options.error());
  options->upstreams.push_back(std::move(group));
  server::ListenerOptions& listener = options->listeners.front();
  if (!arguments.tls.empty()) {
    listener.tls.emplace();
    listener.tls->certificates = {{.certificate = arguments.tls[0], .key = arguments.tls[1]}};
    options->sites.front().listeners.front().tls = listener.tls;
  }
  const auto announce = [&] {
    for (const std::string& url : browser_urls(listener)) {
      std::println(stderr, "passing {} to {}", url, options->upstreams.front().name);
    }
  };
  return server::run([&] { return *options; }, announce);
}

}  // namespace cli
