#include "cli/one_liner.h"

#include <format>
#include <print>
#include <utility>

#include "base/text.h"
#include "io/privileges.h"

namespace cli {

std::expected<server::Options, std::string> one_site(const std::vector<std::string>& addresses,
                                                     server::HandlerOptions handler, bool quiet) {
  server::Options options;
  server::ListenerOptions& listener = options.listeners.emplace_back();
  listener.name = "main";
  for (const std::string& text : addresses) {
    // A port alone is what people type.
    const bool is_port = base::parse_decimal(text).has_value();
    const auto address = base::Address::parse(is_port ? ":" + text : text);
    if (!address) return std::unexpected(address.error());
    if (!address->is_unix() && address->port() == 0 && !text.ends_with(":0")) {
      return std::unexpected(
          std::format("{} has no port; write it like {}:8080", text, address->ip_string()));
    }
    listener.addresses.push_back(*address);
  }
  server::SiteOptions& site = options.sites.emplace_back();
  site.id = "*";
  site.hosts = {"*"};
  site.listeners = {{.listener = listener.name, .tls = {}}};
  server::RouteOptions& route = site.routes.emplace_back();
  route.id = "everything";
  route.handler = std::move(handler);
  options.admin.address.reset();
  // Serves what the person who typed may read, be it root; without root's other rights.
  if (io::is_root()) options.user = "root";
  if (quiet) options.access_log.format = server::AccessLogOptions::Format::kOff;
  return options;
}

namespace {

std::string browser_url(const base::Address& address, bool tls) {
  if (address.is_unix()) return address.to_string();
  const std::uint16_t usual = tls ? 443 : 80;
  std::string host = "localhost";
  if (!address.is_unspecified() && !address.is_loopback()) {
    host = address.with_port(0).ip_string();
    if (address.family() == base::Address::Family::kIpv6) host = "[" + host + "]";
  }
  std::string url = std::format("{}://{}", tls ? "https" : "http", host);
  if (address.port() != usual) url += std::format(":{}", address.port());
  return url;
}

}  // namespace

std::vector<std::string> browser_urls(const server::ListenerOptions& listener) {
  std::vector<std::string> urls;
  for (const base::Address& address : listener.addresses) {
    if (address.port() == 0 && !address.is_unix()) continue;
    urls.push_back(browser_url(address, listener.tls.has_value()));
  }
  return urls;
}

int fail(const std::string& sentence) {
  std::println(stderr, "webship: {}", sentence);
  return 1;
}

}  // namespace cli
