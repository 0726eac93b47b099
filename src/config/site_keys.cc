#include <algorithm>

#include "config/keys.h"
#include "http/target.h"

namespace config {
namespace {

using server::RouteOptions;

std::string without_scheme(std::string_view host) {
  if (const std::size_t scheme = host.find("://"); scheme != std::string_view::npos) {
    host = host.substr(scheme + 3);
  }
  return std::string(host.substr(0, host.find_first_of("/:")));
}

// What is wrong with a host: the message and the hint, or nothing.
struct HostProblem {
  std::string message;
  std::string hint;
};

std::optional<HostProblem> host_problem(std::string_view written, std::string_view name) {
  const std::string shown = in_quotes(written);
  if (written.contains("://") || written.contains('/')) {
    return HostProblem{std::format("{} is a URL; a host is a name only", shown),
                       std::format("write {}", in_quotes(without_scheme(written)))};
  }
  if (std::ranges::any_of(written, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    return HostProblem{std::format("{} has letters beyond ASCII", shown),
                       "write the name as DNS has it, beginning with xn--"};
  }
  if (name.contains('*')) {
    return HostProblem{std::format("{} has a * where none can be", shown),
                       "write \"*.example.com\" for all names beneath, or \"*\" for all"};
  }
  const auto authority = http::parse_authority(name);
  if (authority && authority->port) {
    return HostProblem{
        std::format("{} has a port", shown),
        std::format("write {}; ports belong to listeners", in_quotes(authority->host))};
  }
  if (!authority) {
    return HostProblem{
        std::format("{} is not a host: {}", shown, http::to_string(authority.error())), ""};
  }
  return std::nullopt;
}

// In lower case, without brackets and the final dot: as requests have it.
std::string canonical_host(std::string_view written) {
  std::string host = base::lower(written);
  if (host.ends_with('.')) host.pop_back();
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (const auto ip = base::Address::parse_ip(host)) return ip->ip_string();
  return host;
}

bool read_host(Reader& reader, const Node& node, Named& out) {
  const std::string* text = reader.scalar(node, "a host like example.com");
  if (text == nullptr) return false;
  out = {.name = canonical_host(*text), .node = &node};
  if (*text == "*" || base::Address::parse_ip(out.name)) return true;
  std::string_view name = *text;
  if (name.starts_with("*.")) name.remove_prefix(2);
  auto problem = host_problem(*text, name);
  if (!problem) return true;
  reader.error(node, std::move(problem->message), std::move(problem->hint));
  return false;
}

Type<Named> host() {
  Type<Named> type;
  type.shape = {.kind = Shape::Kind::any_text,
                .label = "host (`example.com`, `*.example.com`, `*`)"};
  type.read = read_host;
  return type;
}

Type<Named> listener_name() {
  Type<Named> type;
  type.shape = {.kind = Shape::Kind::any_text, .label = "name of a listener"};
  type.read = [](Reader& reader, const Node& node, Named& out) {
    const std::string* name = reader.scalar(node, "a listener's name");
    if (name == nullptr) return false;
    out = {.name = *name, .node = &node};
    return true;
  };
  return type;
}

// TLS keys are read again over each listener's own; here only for their errors.
Type<SiteDraft> site_tls() {
  const Type<tls::ServerOptions> inner = object_type(server_tls_keys, "keys");
  Type<SiteDraft> type;
  type.shape = inner.shape;
  type.read = [inner](Reader& reader, const Node& node, SiteDraft& out) {
    out.options.own_tls = true;
    out.tls = &node;
    tls::ServerOptions options;
    return inner.read(reader, node, options);
  };
  return type;
}

// A map with one key. Who writes only the name of a filter is told how it goes on.
Type<server::FilterOptions> filter() {
  Type<server::FilterOptions> type = object_type(filter_keys, "filter");
  type.read = [read = type.read](Reader& reader, const Node& node, server::FilterOptions& out) {
    if (node.kind != Node::Kind::scalar) return read(reader, node, out);
    std::vector<std::string_view> names;
    for (const KeyShape& key : filter_keys().shape().keys) names.push_back(key.name);
    std::string hint = did_you_mean(node.text, names);
    if (std::ranges::contains(names, node.text)) {
      hint = std::format("write {}: and its value or keys after the colon", node.text);
    }
    reader.error(node,
                 std::format("expected a filter, which is a key with a value, found {}",
                             in_quotes(node.text)),
                 std::move(hint));
    return false;
  };
  return type;
}

Type<std::vector<server::FilterOptions>> filters() { return list_of(filter(), 1000); }

// Before any route's: what they match, routes may use.
Type<std::vector<server::FilterOptions>> site_filters() {
  auto type = filters();
  type.read = [read = type.read](Reader& reader, const Node& node,
                                 std::vector<server::FilterOptions>& out) {
    const bool good = read(reader, node, out);
    reader.site_groups = reader.groups;
    return good;
  };
  return type;
}

}  // namespace

const Object<RouteOptions>& route_keys() {
  static const Object<RouteOptions> object = [] {
    Object<RouteOptions> keys("a route", "One way to answer, for requests that match.");
    keys.key("match", match(), &RouteOptions::match,
             "Conditions, or only a path. Without it: everything.")
        .example("{path: /api/*, method: [GET]}");
    keys.key("filters", filters(), &RouteOptions::filters, "Run before the handler, in order.");
    add_handlers(keys, [](RouteOptions& out) -> server::HandlerOptions& { return out.handler; });
    keys.choice({"files", "respond", "redirect", "proxy"});
    keys.begin([](Reader& reader, const Node&, RouteOptions&) {
      reader.groups = reader.site_groups;
      reader.route_matches = reader.match_references.size();
    });
    keys.check([](Reader& reader, const Node&, RouteOptions&) {
      reader.check_matches(reader.route_matches, reader.groups);
      reader.routes_groups.add(reader.groups);
      return true;
    });
    return keys;
  }();
  return object;
}

const Object<SiteDraft>& site_keys() {
  static const Object<SiteDraft> object = [] {
    Object<SiteDraft> keys("a site", "What is served under some hosts.");
    keys.key("host", list_of(host(), 10'000), &SiteDraft::hosts,
             "Its hosts. `*.example.com` is every name beneath, `*` the default site.")
        .default_text("\"*\"")
        .example("[example.com, www.example.com]");
    keys.key("listeners", list_of(listener_name(), 1000), &SiteDraft::listeners,
             "Names of listeners. Without it: all.")
        .example("[https]");
    keys.key(
        "tls", site_tls(), [](SiteDraft& out) -> SiteDraft& { return out; },
        "TLS of this site; what isn't given is as the listener has it.");
    keys.key(
        "filters", site_filters(),
        [](SiteDraft& out) -> std::vector<server::FilterOptions>& { return out.options.filters; },
        "Run before any route's own, in order.");
    add_handlers(keys, [](SiteDraft& out) -> server::HandlerOptions& { return out.only.handler; });
    keys.key("routes", list_of(object_type(route_keys, "route"), 100'000), &SiteDraft::routes,
             "Several ways to answer; the first that matches.");
    keys.choice({"files", "respond", "redirect", "proxy", "routes"});
    keys.begin([](Reader& reader, const Node& node, SiteDraft& out) {
      out.node = &node;
      reader.groups = reader.site_groups = reader.routes_groups = {};
      reader.site_matches = reader.match_references.size();
    });
    keys.check([](Reader& reader, const Node& node, SiteDraft& out) {
      // A site's filters run after the route was chosen: its groups are there, too.
      reader.routes_groups.add(reader.groups);
      reader.check_matches(reader.site_matches, reader.routes_groups);
      const Node::Entry* routes = node.find("routes");
      if (routes == nullptr) {
        out.routes = {out.only};
        return true;
      }
      if (routes->value->kind == Node::Kind::sequence && routes->value->items.empty()) {
        reader.error(*routes->value, "a list of routes without any");
        return false;
      }
      return true;
    });
    return keys;
  }();
  return object;
}

}  // namespace config
