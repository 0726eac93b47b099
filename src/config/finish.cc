#include "config/finish.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace config {
namespace {

using server::ListenerOptions;
using server::SiteListener;
using server::SiteOptions;

// Where nothing is said: `http` on :80, and `https` on :443 if a site has `tls`.
void add_default_listeners(Draft& draft, const Reader& reader) {
  const auto add = [&](std::string name, std::uint16_t port) -> ListenerOptions& {
    ListenerDraft& listener = draft.listeners.emplace_back();
    listener.name.name = name;
    listener.options.name = std::move(name);
    listener.options.addresses = {base::Address::dual(port)};
    listener.options.limits = reader.limits;
    return listener.options;
  };
  add("http", 80);
  if (std::ranges::any_of(draft.sites, [](const SiteDraft& site) { return site.tls != nullptr; })) {
    add("https", 443).tls.emplace();
  }
}

template <typename T>
std::vector<std::string_view> names_of(const std::vector<T>& drafts) {
  std::vector<std::string_view> names;
  for (const T& draft : drafts) names.push_back(draft.name.name);
  return names;
}

std::string known_names(std::string_view wanted, const std::vector<std::string_view>& names,
                        std::string_view none) {
  std::string hint = did_you_mean(wanted, names);
  if (!hint.empty()) return hint;
  constexpr std::size_t kShownMax = 20;
  if (names.empty() || names.size() > kShownMax) return std::string(none);
  hint = "there is ";
  for (const std::string_view name : names) {
    if (name != names.front()) hint += ", ";
    hint += name;
  }
  return hint;
}

void check_upstream_references(const Draft& draft, Reader& reader) {
  const std::vector<std::string_view> names = names_of(draft.upstreams);
  const std::set<std::string_view> known(names.begin(), names.end());
  for (const UpstreamReference& reference : reader.upstream_references) {
    if (known.contains(reference.name)) continue;
    reader.error(*reference.node, std::format("there is no upstream {}", in_quotes(reference.name)),
                 known_names(reference.name, names,
                             "name it under upstreams, or write a URL like "
                             "http://127.0.0.1:3000"));
  }
}

// Two listeners with the same address can't both have it; `:80` is 0.0.0.0:80 and [::]:80, too.
bool overlap(const base::Address& a, const base::Address& b) {
  if (a == b) return true;
  using Family = base::Address::Family;
  const bool one_is_dual = a.family() == Family::kDual || b.family() == Family::kDual;
  return one_is_dual && a.is_unspecified() && b.is_unspecified() && a.port() == b.port();
}

void check_addresses(const Draft& draft, Reader& reader) {
  for (std::size_t i = 0; i < draft.listeners.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (const base::Address& one : draft.listeners[i].options.addresses) {
        for (const base::Address& other : draft.listeners[k].options.addresses) {
          const bool any_port = one.port() == 0 && !one.is_unix();
          if (any_port || !overlap(one, other) || draft.listeners[i].name.node == nullptr) continue;
          reader.error(
              *draft.listeners[i].name.node,
              std::format("the address {} is that of the listener {}, too",
                          in_quotes(one.to_string()), in_quotes(draft.listeners[k].name.name)),
              "give each listener an address of its own");
        }
      }
    }
  }
}

// The listeners of one site, with its effective TLS options on each.
std::vector<SiteListener> attach(const SiteDraft& site, const Draft& draft, bool good,
                                 Reader& reader) {
  std::vector<SiteListener> attached;
  const auto add = [&](const ListenerOptions& listener) {
    SiteListener on{.listener = listener.name, .tls = listener.tls};
    if (on.tls && site.tls != nullptr) server_tls_keys().read(reader, *site.tls, *on.tls);
    attached.push_back(std::move(on));
  };
  if (site.listeners.empty()) {
    for (const ListenerDraft& listener : draft.listeners) add(listener.options);
  }
  std::set<std::string_view> used;
  for (const Named& named : site.listeners) {
    const auto found = std::ranges::find(draft.listeners, named.name,
                                         [](const ListenerDraft& d) { return d.name.name; });
    if (found == draft.listeners.end()) {
      reader.error(*named.node, std::format("there is no listener {}", in_quotes(named.name)),
                   known_names(named.name, names_of(draft.listeners), "name it under listeners"));
    } else if (used.insert(found->name.name).second) {
      add(found->options);
    }
  }
  const auto has_tls = [](const SiteListener& on) { return on.tls.has_value(); };
  if (good && site.tls != nullptr && !attached.empty() && std::ranges::none_of(attached, has_tls)) {
    reader.error(*site.tls, "the site has \"tls\", but none of its listeners has",
                 "add tls: {} to a listener");
  }
  return attached;
}

// A TLS listener needs a certificate: its own, or a site's.
void check_certificates(const Draft& draft, const std::vector<SiteOptions>& sites, Reader& reader) {
  std::set<std::string_view> certified;
  for (const SiteOptions& site : sites) {
    for (const SiteListener& on : site.listeners) {
      if (on.tls && !on.tls->certificates.empty()) certified.insert(on.listener);
    }
  }
  for (const ListenerDraft& listener : draft.listeners) {
    const auto& tls = listener.options.tls;
    if (!tls || !tls->certificates.empty() || certified.contains(listener.name.name)) continue;
    const Node* node = listener.name.node;
    for (const SiteDraft& site : draft.sites) {
      if (node == nullptr) node = site.tls;  // the default listener exists because of it
    }
    reader.error(
        *node, std::format("the TLS listener {} has no certificate", in_quotes(listener.name.name)),
        "write tls: {certificates: [{certificate: FILE, key: FILE}]} there or in a site");
  }
}

void check_hosts(const Draft& draft, const std::vector<SiteOptions>& sites, Reader& reader) {
  std::map<std::pair<std::string_view, std::string_view>, const Named*> seen;
  std::set<const Node*> reported;  // once is enough, however many listeners both are on
  for (std::size_t i = 0; i < sites.size(); ++i) {
    for (const SiteListener& on : sites[i].listeners) {
      for (const Named& host : draft.sites[i].hosts) {
        const auto [first, added] = seen.try_emplace({on.listener, host.name}, &host);
        if (added || !reported.insert(host.node).second) continue;
        const Node* other = first->second->node;
        reader.error(
            *host.node,
            std::format("the host {} is on the listener {} already, by {}:{}", in_quotes(host.name),
                        in_quotes(on.listener), reader.source(*other).name(), reader.line(*other)),
            "put both under one site as routes, or on different listeners");
      }
    }
  }
}

void name_routes(std::vector<server::RouteOptions>& routes) {
  std::map<std::string, int> count;
  for (server::RouteOptions& route : routes) {
    route.id = describe(route.match);
    const int number = ++count[route.id];
    if (number > 1) route.id += std::format("#{}", number);
  }
}

std::vector<SiteOptions> finish_sites(Draft& draft, bool good, Reader& reader) {
  std::vector<SiteOptions> sites;
  std::map<std::string, int> count;
  for (SiteDraft& site : draft.sites) {
    if (site.hosts.empty()) site.hosts.push_back({.name = "*", .node = site.node});
    SiteOptions options = std::move(site.options);
    for (const Named& host : site.hosts) options.hosts.push_back(host.name);
    options.id = options.hosts.front();
    const int number = ++count[options.id];
    if (number > 1) options.id += std::format("#{}", number);
    options.listeners = attach(site, draft, good, reader);
    options.routes = std::move(site.routes);
    name_routes(options.routes);
    sites.push_back(std::move(options));
  }
  return sites;
}

void describe_named(std::string& out, std::string_view kind,
                    const std::vector<http::NamedPattern>& patterns) {
  using Kind = http::ValuePattern::Kind;
  for (const http::NamedPattern& pattern : patterns) {
    const http::ValuePattern& value = pattern.value;
    out += std::format(" {} {}={}", kind, pattern.name,
                       value.kind == Kind::present  ? "*"
                       : value.kind == Kind::absent ? "!"
                       : value.kind == Kind::regex  ? "~" + value.regex.pattern()
                                                    : value.text);
  }
}

}  // namespace

std::string describe(const http::MatchOptions& match) {
  using Kind = http::PathPattern::Kind;
  std::string out;
  for (const std::string& method : match.methods) {
    out += out.empty() ? method : "," + method;
  }
  std::string paths;
  for (const http::PathPattern& path : match.paths) {
    paths += paths.empty() ? "" : ",";
    paths += path.kind == Kind::regex    ? "~" + path.regex.pattern()
             : path.kind == Kind::prefix ? path.text + "/*"
                                         : path.text;
  }
  for (const base::Glob& glob : match.globs) {
    paths += paths.empty() ? "glob " : ",glob ";
    paths += glob.pattern();
  }
  if (!paths.empty()) out += (out.empty() ? "" : " ") + paths;
  describe_named(out, "header", match.headers);
  describe_named(out, "query", match.query);
  describe_named(out, "cookie", match.cookies);
  if (!match.clients.empty()) out += " client";
  if (out.starts_with(' ')) out.erase(0, 1);
  return out.empty() ? "everything" : out;
}

server::Options finish(Draft draft, const Node& root, bool good, Reader& reader) {
  if (root.find("listeners") == nullptr) {
    add_default_listeners(draft, reader);
  } else if (draft.listeners.empty()) {
    const Node::Entry& entry = *root.find("listeners");
    if (is_map(*entry.value) && entry.value->entries.empty()) {
      reader.error(*entry.key, "there is no listener",
                   "remove the key to listen on :80, or write at least one");
    }
  }
  server::Options options = std::move(draft.options);
  options.sites = finish_sites(draft, good, reader);
  check_upstream_references(draft, reader);
  check_addresses(draft, reader);
  check_hosts(draft, options.sites, reader);
  if (good) check_certificates(draft, options.sites, reader);
  for (ListenerDraft& listener : draft.listeners) {
    options.listeners.push_back(std::move(listener.options));
  }
  for (GroupDraft& group : draft.upstreams) {
    group.options.name = group.name.name;
    options.upstreams.push_back(std::move(group.options));
  }
  for (upstream::GroupOptions& group : reader.inline_groups) {
    options.upstreams.push_back(std::move(group));
  }
  return options;
}

}  // namespace config
