#include "config/summary.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>
#include <vector>

namespace config {
namespace {

struct HandlerText {
  std::string operator()(const handlers::FilesOptions& files) const {
    std::string out = std::format("files {}", files.root);
    if (files.browse) out += ", listings";
    if (!files.fallback.empty()) out += std::format(", else {}", files.fallback);
    return out;
  }
  std::string operator()(const handlers::RespondOptions& respond) const {
    return std::format("respond {}", respond.status);
  }
  std::string operator()(const handlers::RedirectOptions& redirect) const {
    return std::format("redirect {} to {}", redirect.status, redirect.to.source());
  }
  std::string operator()(const proxy::Options& proxy) const {
    return std::format("proxy {}", proxy.upstream);
  }
};

// Two columns, the first as wide as its widest cell.
class Table {
 public:
  explicit Table(std::string indent) : indent_(std::move(indent)) {}
  void row(std::string left, std::string right) {
    constexpr std::size_t kWidthMax = 40;
    width_ = std::max(width_, std::min(left.size(), kWidthMax));
    rows_.emplace_back(std::move(left), std::move(right));
  }
  std::string text() const {
    std::string out;
    for (const auto& [left, right] : rows_) {
      out += std::format("{}{:<{}}  {}\n", indent_, left, width_, right);
    }
    return out;
  }

 private:
  std::string indent_;
  std::size_t width_ = 0;
  std::vector<std::pair<std::string, std::string>> rows_;
};

template <typename Range, typename Text>
std::string joined(const Range& range, Text text) {
  std::string out;
  for (const auto& item : range) {
    if (!out.empty()) out += ", ";
    out += text(item);
  }
  return out;
}

std::string listeners(const server::Options& options) {
  Table table("  ");
  for (const server::ListenerOptions& listener : options.listeners) {
    std::string where =
        joined(listener.addresses, [](const base::Address& a) { return a.to_string(); });
    if (listener.tls) where += ", TLS";
    if (listener.proxy_protocol) where += ", PROXY protocol";
    table.row(listener.name, std::move(where));
  }
  if (options.admin.address) table.row("(admin)", options.admin.address->to_string());
  return "listens on\n" + table.text();
}

std::string site(const server::SiteOptions& site) {
  std::string out = joined(site.hosts, [](const std::string& host) {
    return host == "*" ? std::string("any other host") : host;
  });
  out += std::format(" (on {})\n", joined(site.listeners, [](const server::SiteListener& on) {
                       return on.listener;
                     }));
  Table table("  ");
  for (const server::RouteOptions& route : site.routes) {
    table.row(route.id, std::visit(HandlerText(), route.handler));
  }
  return out + table.text();
}

std::string upstreams(const server::Options& options) {
  Table table("  ");
  for (const upstream::GroupOptions& group : options.upstreams) {
    constexpr std::size_t kShownMax = 8;
    std::vector<upstream::EndpointOptions> shown(
        group.endpoints.begin(), group.endpoints.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                               kShownMax, group.endpoints.size())));
    std::string where = joined(shown, [](const auto& endpoint) { return endpoint.id; });
    if (group.endpoints.size() > kShownMax) {
      where += std::format(" and {} more", group.endpoints.size() - kShownMax);
    }
    if (where == group.name) continue;  // written in place: its routes say it
    table.row(group.name, std::move(where));
  }
  const std::string text = table.text();
  return text.empty() ? text : "upstreams\n" + text;
}

}  // namespace

std::string summary(const server::Options& options) {
  std::string out = listeners(options);
  for (const server::SiteOptions& one : options.sites) out += site(one);
  return out + upstreams(options);
}

}  // namespace config
