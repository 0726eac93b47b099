#include <algorithm>
#include <array>
#include <chrono>

#include "config/endpoint.h"
#include "config/keys.h"

namespace config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using upstream::EndpointOptions;
using upstream::FailureOptions;
using upstream::GroupOptions;
using upstream::KeepaliveOptions;
using upstream::ResolveOptions;
using upstream::RetryOptions;

// No timeout of the proxy needs to be longer than a day.
constexpr auto kTimeoutMax = hours(24);

// Its id and place from the URL; the weight stays.
Type<EndpointOptions> endpoint_url() {
  Type<EndpointOptions> type;
  type.shape = {.kind = Shape::Kind::pattern,
                .label = "URL (`http://HOST:PORT`, `https://HOST`, `unix:/PATH`)",
                .pattern = "^(https?://|unix:|\\$)"};
  type.read = [](Reader& reader, const Node& node, EndpointOptions& out) {
    const std::string* url = reader.scalar(node, "a URL like http://127.0.0.1:3000");
    if (url == nullptr) return false;
    auto endpoint = parse_endpoint(*url);
    if (!endpoint) {
      reader.error(node, std::move(endpoint.error().message), std::move(endpoint.error().hint));
      return false;
    }
    endpoint->weight = out.weight;
    out = std::move(*endpoint);
    return true;
  };
  return type;
}

const Object<EndpointOptions>& endpoint_keys() {
  static const Object<EndpointOptions> object = [] {
    Object<EndpointOptions> keys("an endpoint", "One address of an upstream.");
    keys.key(
            "url", endpoint_url(), [](EndpointOptions& out) -> EndpointOptions& { return out; },
            "Scheme, host and port, or a unix socket.")
        .required()
        .example("https://10.0.0.2:8443");
    keys.key("weight", integer<std::uint32_t>(1, 1000), &EndpointOptions::weight,
             "Its share of the requests, beside the others' weights.");
    return keys;
  }();
  return object;
}

Type<std::vector<EndpointOptions>> endpoints() {
  return list_of(object_or_short(endpoint_keys, endpoint_url(), "keys"), 100'000);
}

const Object<KeepaliveOptions>& keepalive_keys() {
  static const Object<KeepaliveOptions> object = [] {
    Object<KeepaliveOptions> keys("keepalive",
                                  "Connections that are kept, per worker and endpoint.");
    keys.key("idle", integer<std::uint32_t>(0, 100'000), &KeepaliveOptions::idle,
             "Idle connections at most; 0: none is kept.");
    keys.key("idle_timeout", duration(milliseconds(0), kTimeoutMax),
             &KeepaliveOptions::idle_timeout,
             "Closed after this time without a request. Below what the origin itself waits.");
    keys.key("requests", integer<std::uint32_t>(0, UINT32_MAX), &KeepaliveOptions::requests,
             "Requests on one connection; 0: no limit.");
    keys.key("age", duration(milliseconds(0), hours(24 * 365)), &KeepaliveOptions::age,
             "Age of a connection; 0: no limit.");
    return keys;
  }();
  return object;
}

const Object<FailureOptions>& failure_keys() {
  static const Object<FailureOptions> object = [] {
    Object<FailureOptions> keys("failures", "When an endpoint that fails is left alone.");
    keys.key("count", integer<std::uint32_t>(0, 1'000'000), &FailureOptions::count,
             "After so many failures; 0: never.");
    keys.key("within", duration(milliseconds(1), kTimeoutMax), &FailureOptions::within,
             "Within this time.");
    keys.key("eject", duration(milliseconds(1), kTimeoutMax), &FailureOptions::eject,
             "For this time.");
    return keys;
  }();
  return object;
}

const Object<RetryOptions>& retry_keys() {
  static const Object<RetryOptions> object = [] {
    Object<RetryOptions> keys("retries",
                              "Tries on further endpoints, only where nothing can happen twice.");
    keys.key("attempts", integer<std::uint32_t>(0, 10), &RetryOptions::attempts,
             "Further tries after the first.");
    keys.key("timeout", duration(milliseconds(0), kTimeoutMax), &RetryOptions::timeout,
             "For one try, to the response's head; 0: no limit of its own.");
    return keys;
  }();
  return object;
}

const Object<ResolveOptions>& resolve_keys() {
  static const Object<ResolveOptions> object = [] {
    Object<ResolveOptions> keys("resolve", "How the names of endpoints are resolved.");
    keys.key("ttl_min", duration(milliseconds(1), kTimeoutMax), &ResolveOptions::ttl_min,
             "Not asked again before, whatever the answer's TTL.");
    keys.key("ttl_max", duration(milliseconds(1), kTimeoutMax), &ResolveOptions::ttl_max,
             "Asked again after, whatever the answer's TTL.");
    keys.key("timeout", duration(milliseconds(1), minutes(5)), &ResolveOptions::timeout,
             "For one answer.");
    keys.check([](Reader& reader, const Node& node, ResolveOptions& out) {
      if (out.ttl_min <= out.ttl_max) return true;
      reader.error(node, "ttl_min is above ttl_max");
      return false;
    });
    return keys;
  }();
  return object;
}

// A member of the group that `group` finds in a T.
template <typename T, typename Group, typename V>
auto in_group(Group group, V GroupOptions::* member) {
  return [group, member](T& out) -> V& { return group(out).*member; };
}

// The keys of an upstream but its endpoints: also beside a proxy's URL.
template <typename T, typename Group>
void add_group_keys(Object<T>& keys, Group group) {
  using upstream::Balance;
  const auto at = [group]<typename V>(V GroupOptions::* member) {
    return in_group<T>(group, member);
  };
  keys.key("balance", words<Balance>({{"round_robin", Balance::kRoundRobin}}),
           at(&GroupOptions::balance), "How an endpoint is chosen.");
  keys.key("tls", object_type(client_tls_keys, "keys"), at(&GroupOptions::tls),
           "TLS towards endpoints with https.");
  keys.key("connect_timeout", duration(milliseconds(1), kTimeoutMax),
           at(&GroupOptions::connect_timeout), "To connect, with TLS.");
  keys.key("first_byte_timeout", duration(milliseconds(1), kTimeoutMax),
           at(&GroupOptions::first_byte_timeout), "From the request sent to the response's head.");
  keys.key("idle_timeout", duration(milliseconds(1), kTimeoutMax), at(&GroupOptions::idle_timeout),
           "Without a byte in either direction of a body.");
  keys.key("tunnel_idle_timeout", duration(milliseconds(1), hours(24 * 365)),
           at(&GroupOptions::tunnel_idle_timeout),
           "Without a byte in either direction of a WebSocket or another upgrade.");
  keys.key("keepalive", object_type(keepalive_keys, "keys"), at(&GroupOptions::keepalive),
           "Connections that are kept.");
  keys.key("failures", object_type(failure_keys, "keys"), at(&GroupOptions::failures),
           "When an endpoint that fails is left alone.");
  keys.key("retries", object_type(retry_keys, "keys"), at(&GroupOptions::retries),
           "Tries on further endpoints.");
  keys.key("resolve", object_type(resolve_keys, "keys"), at(&GroupOptions::resolve),
           "How names are resolved.");
}

bool check_endpoints(Reader& reader, const Node& node, const std::vector<EndpointOptions>& list) {
  if (list.empty()) {
    const bool written = node.kind == Node::Kind::scalar || !node.items.empty();
    if (!written) reader.error(node, "an upstream without endpoints", "write at least one URL");
    return false;
  }
  std::vector<std::string_view> ids;
  for (const EndpointOptions& endpoint : list) ids.push_back(endpoint.id);
  std::ranges::sort(ids);
  const auto twice = std::ranges::adjacent_find(ids);
  if (twice == ids.end()) return true;
  reader.error(node, std::format("the endpoint {} is here twice", in_quotes(*twice)),
               "remove one of them; a weight gives an endpoint a larger share");
  return false;
}

bool check_group(Reader& reader, const Node& node, GroupOptions& group) {
  const Node::Entry* tls = node.find("tls");
  if (tls == nullptr || group.endpoints.empty() ||
      std::ranges::any_of(group.endpoints, &EndpointOptions::tls)) {
    return true;
  }
  reader.error(*tls->key, "\"tls\" where no endpoint has https",
               "write https:// in the endpoints' URLs, or remove it");
  return false;
}

// A proxy handler as it is written: the upstream's name, or its endpoints and keys in place.
struct ProxyDraft {
  proxy::Options options;
  GroupOptions group;
  Named name;
};

Type<ProxyDraft> proxy_upstream() {
  const Type<std::vector<EndpointOptions>> list = endpoints();
  Type<ProxyDraft> type;
  type.shape = {.kind = Shape::Kind::one_of,
                .label = "name of an upstream, URL, or list of URLs",
                .items = {{.kind = Shape::Kind::any_text, .label = "name or URL"}, list.shape}};
  type.read = [list](Reader& reader, const Node& node, ProxyDraft& out) {
    if (node.kind == Node::Kind::scalar && !looks_like_endpoint(node.text)) {
      if (node.broken) return false;
      out.name = {.name = node.text, .node = &node};
      reader.upstream_references.push_back({.node = &node, .name = node.text});
      return true;
    }
    return list.read(reader, node, out.group.endpoints) &&
           check_endpoints(reader, node, out.group.endpoints);
  };
  return type;
}

struct ForwardedFields {
  bool x_forwarded = false;
  bool forwarded = false;
};

Type<std::vector<std::string>> forwarded_words() {
  return list_of(words<std::string>(
      {{"x-forwarded", "x-forwarded"}, {"forwarded", "forwarded"}, {"none", "none"}}));
}

Type<ProxyDraft> proxy_forwarded() {
  const Type<std::vector<std::string>> list = forwarded_words();
  Type<ProxyDraft> type;
  type.shape = list.shape;
  type.format = [](const ProxyDraft&) { return std::string("[x-forwarded]"); };
  type.read = [list](Reader& reader, const Node& node, ProxyDraft& out) {
    std::vector<std::string> fields;
    if (!list.read(reader, node, fields)) return false;
    if (std::ranges::contains(fields, "none") && fields.size() > 1) {
      reader.error(node, "\"none\" beside others", "write none alone, or leave it out");
      return false;
    }
    out.options.x_forwarded = std::ranges::contains(fields, "x-forwarded");
    out.options.forwarded = std::ranges::contains(fields, "forwarded");
    return true;
  };
  return type;
}

template <typename V>
auto option(V proxy::Options::* member) {
  return [member](ProxyDraft& out) -> V& { return out.options.*member; };
}

const Object<ProxyDraft>& proxy_keys() {
  static const Object<ProxyDraft> object = [] {
    constexpr std::uint64_t kBufferMax = std::uint64_t{1} << 30;
    const auto self = [](ProxyDraft& out) -> ProxyDraft& { return out; };
    Object<ProxyDraft> keys("proxy", "Passes requests to an upstream.");
    keys.key("upstream", proxy_upstream(), self, "A name of `upstreams`, a URL, or a list of URLs.")
        .required()
        .example("app");
    keys.key("host", text_template(base::Escape::kField), option(&proxy::Options::host),
             "Host towards the origin. Without it: the client's.")
        .example("\"{upstream.address}\"");
    keys.key("forwarded", proxy_forwarded(), self,
             "Fields that tell the origin of the client: `x-forwarded` (X-Forwarded-For, -Proto, "
             "-Host), `forwarded` (RFC 7239), `none`.");
    keys.key("buffer_request", size_or("off", 0, 1, kBufferMax),
             option(&proxy::Options::buffer_request),
             "A body up to this size is read before the origin is asked.");
    keys.key("buffer_response", size_or("off", 0, 1, kBufferMax),
             option(&proxy::Options::buffer_response),
             "So much of a body is taken from the origin ahead of a slow client.");
    keys.key("upgrade", boolean(), option(&proxy::Options::upgrade),
             "WebSocket and other upgrades pass.");
    keys.key("rewrite_location", boolean(), option(&proxy::Options::rewrite_location),
             "Location and cookie paths of the origin get the stripped prefix back.");
    keys.key("early_hints", boolean(), option(&proxy::Options::early_hints),
             "103 goes to HTTP/1.1 clients, too.");
    add_group_keys(keys, [](ProxyDraft& out) -> GroupOptions& { return out.group; });
    return keys;
  }();
  return object;
}

// Keys of an upstream beside the name of one would change nothing: say so.
bool check_inline_keys(Reader& reader, const Node& node, const ProxyDraft& draft) {
  if (draft.name.node == nullptr || !is_map(node)) return true;
  bool good = true;
  const ObjectShape& group = upstream_keys().shape();
  for (const Node::Entry& entry : node.entries) {
    if (!std::ranges::contains(group.keys, entry.key->text, &KeyShape::name)) continue;
    reader.error(*entry.key,
                 std::format("{} is a key of the upstream {}", in_quotes(entry.key->text),
                             in_quotes(draft.name.name)),
                 std::format("move it to upstreams, under {}", in_quotes(draft.name.name)));
    good = false;
  }
  return good;
}

// Where a route writes its upstream in place: its URLs name it; other settings make another group.
std::string add_inline_group(Reader& reader, GroupOptions group) {
  std::string base_name;
  for (const EndpointOptions& endpoint : group.endpoints) {
    if (!base_name.empty()) base_name += ",";
    base_name += endpoint.id;
  }
  group.name = base_name;
  auto& groups = reader.inline_groups;
  for (std::size_t number = 2;; ++number) {
    const auto [same, added] = reader.inline_group_indexes.try_emplace(group.name, groups.size());
    if (added) break;
    if (groups[same->second] == group) return group.name;
    group.name = std::format("{}#{}", base_name, number);
  }
  groups.push_back(std::move(group));
  return groups.back().name;
}

}  // namespace

const Object<GroupDraft>& upstream_keys() {
  static const Object<GroupDraft> object = [] {
    Object<GroupDraft> keys("an upstream", "A named group of endpoints.");
    const auto group = [](GroupDraft& out) -> GroupOptions& { return out.options; };
    keys.key("endpoints", endpoints(), in_group<GroupDraft>(group, &GroupOptions::endpoints),
             "Where requests go: URLs, or keys.")
        .required()
        .example("[\"http://127.0.0.1:3000\"]");
    add_group_keys(keys, group);
    keys.check([](Reader& reader, const Node& node, GroupDraft& out) {
      const Node::Entry* list = node.find("endpoints");
      return list == nullptr || (check_endpoints(reader, *list->value, out.options.endpoints) &&
                                 check_group(reader, node, out.options));
    });
    return keys;
  }();
  return object;
}

Type<proxy::Options> proxy_handler() {
  const Type<ProxyDraft> draft_type = object_or_short(proxy_keys, proxy_upstream(), "keys");
  Type<proxy::Options> type;
  type.shape = draft_type.shape;
  type.read = [read = draft_type.read](Reader& reader, const Node& node, proxy::Options& out) {
    ProxyDraft draft;
    const bool good = read(reader, node, draft);
    if (!check_inline_keys(reader, node, draft) || !good) return false;
    if (draft.name.node == nullptr && !check_group(reader, node, draft.group)) return false;
    out = std::move(draft.options);
    out.upstream = draft.name.node != nullptr ? draft.name.name
                                              : add_inline_group(reader, std::move(draft.group));
    return true;
  };
  return type;
}

}  // namespace config
