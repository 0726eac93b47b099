#include <chrono>
#include <span>

#include "config/keys.h"

namespace config {
namespace {

using server::AccessLogOptions;
using server::AdminOptions;
using server::DiagnosticsLogOptions;
using server::Limits;
using server::ListenerOptions;
using server::LogLevel;
using server::LogTarget;
using server::Options;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::uint64_t kMebibyte = 1 << 20;

const Object<server::ProxyProtocolOptions>& proxy_protocol_keys() {
  static const Object<server::ProxyProtocolOptions> object = [] {
    Object<server::ProxyProtocolOptions> keys("proxy_protocol",
                                              "Expects a PROXY header, version 1 or 2.");
    keys.key("trusted", networks(), &server::ProxyProtocolOptions::trusted,
             "Peers that send one, always. Others are served without.")
        .required()
        .example("[10.0.0.0/8]");
    keys.key("timeout", duration(milliseconds(100), minutes(1)),
             &server::ProxyProtocolOptions::timeout, "For the whole header.");
    return keys;
  }();
  return object;
}

struct TrustedDraft {
  base::CidrSet networks;
  server::ForwardedField field = server::ForwardedField::kXForwardedFor;
};

const Object<TrustedDraft>& trusted_proxy_keys() {
  static const Object<TrustedDraft> object = [] {
    Object<TrustedDraft> keys("trusted_proxies", "Whose word on the client's address counts.");
    keys.key("networks", networks(), &TrustedDraft::networks, "Networks of the proxies.")
        .required()
        .example("[10.0.0.0/8]");
    keys.key(
        "field",
        words<server::ForwardedField>({{"X-Forwarded-For", server::ForwardedField::kXForwardedFor},
                                       {"Forwarded", server::ForwardedField::kForwarded}}),
        &TrustedDraft::field, "The field that they set. The other one is never believed.");
    return keys;
  }();
  return object;
}

Type<ListenerDraft> trusted_proxies() {
  const Type<TrustedDraft> inner = object_or_short(
      trusted_proxy_keys,
      mapped<TrustedDraft>(networks(), [](TrustedDraft& out,
                                          base::CidrSet&& set) { out.networks = std::move(set); }),
      "keys");
  return mapped<ListenerDraft>(inner, [](ListenerDraft& out, TrustedDraft&& trusted) {
    out.options.trusted_proxies = std::move(trusted.networks);
    out.options.trusted_field = trusted.field;
  });
}

Type<LogTarget> log_target() {
  Type<LogTarget> type;
  type.shape = {.kind = Shape::Kind::any_text, .label = "`stdout`, `stderr`, or a file's path"};
  type.format = [](const LogTarget& target) {
    return target.kind == LogTarget::Kind::kStdout   ? "stdout"
           : target.kind == LogTarget::Kind::kStderr ? "stderr"
                                                     : target.path;
  };
  type.read = [](Reader& reader, const Node& node, LogTarget& out) {
    const std::string* text = reader.scalar(node, "stdout, stderr, or a file's path");
    if (text == nullptr) return false;
    if (*text == "stdout" || *text == "stderr") {
      out.kind = *text == "stdout" ? LogTarget::Kind::kStdout : LogTarget::Kind::kStderr;
      out.path.clear();
      return true;
    }
    // A word without dot or slash is rather a slip than a file.
    std::string hint = did_you_mean(*text, {"stdout", "stderr"});
    if (text->empty() || (text->find_first_of("./") == std::string::npos && !hint.empty())) {
      reader.error(
          node,
          std::format("expected stdout, stderr, or a file's path, found {}", in_quotes(*text)),
          std::move(hint));
      return false;
    }
    out.kind = LogTarget::Kind::kFile;
    out.path = reader.resolve_path(node, *text);
    reader.files.push_back({.node = &node,
                            .path = out.path.substr(0, out.path.rfind('/') + 1),
                            .kind = FileReference::Kind::folder});
    return true;
  };
  return type;
}

// `combined`, `json`, `off`, or a template.
Type<AccessLogOptions> access_format() {
  using Format = AccessLogOptions::Format;
  const std::vector<Word<Format>> known = {
      {"combined", Format::kCombined}, {"json", Format::kJson}, {"off", Format::kOff}};
  const Type<base::Template> line = text_template(base::Escape::kLog);
  Type<AccessLogOptions> type;
  type.shape = {.kind = Shape::Kind::one_of,
                .label = "`combined`, `json`, `off`, or a template",
                .items = {words<Format>(known).shape, line.shape}};
  type.format = [](const AccessLogOptions&) { return std::string("combined"); };
  type.read = [known, line](Reader& reader, const Node& node, AccessLogOptions& out) {
    const std::string* text = reader.scalar(node, "combined, json, off, or a template");
    if (text == nullptr) return false;
    for (const Word<Format>& word : known) {
      if (*text != word.text) continue;
      out.format = word.value;
      return true;
    }
    if (text->find('{') == std::string::npos) {
      reader.error(node, std::format("{} is not a format of the access log", in_quotes(*text)),
                   "write combined, json, off, or a template like "
                   "\"{client.ip} {request.uri} {response.status}\"");
      return false;
    }
    out.format = Format::kTemplate;
    return line.read(reader, node, out.line);
  };
  return type;
}

const Object<AccessLogOptions>& access_log_keys() {
  static const Object<AccessLogOptions> object = [] {
    Object<AccessLogOptions> keys("access", "One line for each request.");
    keys.key(
        "format", access_format(), [](AccessLogOptions& out) -> AccessLogOptions& { return out; },
        "What a line is made of.");
    keys.key("to", log_target(), &AccessLogOptions::to, "Where lines go.")
        .example("/var/log/webship/access.log");
    return keys;
  }();
  return object;
}

const Object<DiagnosticsLogOptions>& diagnostics_log_keys() {
  static const Object<DiagnosticsLogOptions> object = [] {
    Object<DiagnosticsLogOptions> keys("diagnostics", "What the server says of itself.");
    keys.key("level",
             words<LogLevel>({{"debug", LogLevel::kDebug},
                              {"info", LogLevel::kInfo},
                              {"warning", LogLevel::kWarning},
                              {"error", LogLevel::kError}}),
             &DiagnosticsLogOptions::level, "Least level that is written.");
    keys.key("to", log_target(), &DiagnosticsLogOptions::to, "Where it goes.");
    return keys;
  }();
  return object;
}

const Object<Options>& log_keys() {
  static const Object<Options> object = [] {
    Object<Options> keys("log", "Logs.");
    keys.key("access", object_or_short(access_log_keys, access_format(), "keys"),
             &Options::access_log, "One line for each request: a format, or keys.");
    keys.key("diagnostics", object_type(diagnostics_log_keys, "keys"), &Options::diagnostics_log,
             "What the server says of itself.");
    return keys;
  }();
  return object;
}

Type<AdminOptions> admin_address() {
  const Type<base::Address> address = listen_address();
  Type<AdminOptions> type;
  type.shape = {.kind = Shape::Kind::any_text, .label = "address or `off`"};
  type.format = [](const AdminOptions& value) {
    return value.address ? value.address->to_string() : "off";
  };
  type.read = [address](Reader& reader, const Node& node, AdminOptions& out) {
    if (node.kind == Node::Kind::scalar && node.text == "off") {
      out.address.reset();
      return true;
    }
    base::Address value;
    if (!address.read(reader, node, value)) return false;
    if (!value.is_loopback()) {
      // Who reaches it may read everything that the server does (O07).
      reader.error(
          node,
          std::format("the admin address {} can be reached from outside", in_quotes(node.text)),
          std::format("write \"127.0.0.1:{}\", or a socket like unix:/run/webship/admin.sock",
                      value.port()));
      return false;
    }
    out.address = std::move(value);
    return true;
  };
  return type;
}

const Object<AdminOptions>& admin_keys() {
  static const Object<AdminOptions> object = [] {
    Object<AdminOptions> keys("admin", "Status and metrics.");
    keys.key(
            "address", admin_address(), [](AdminOptions& out) -> AdminOptions& { return out; },
            "Loopback or a unix socket only; `off`: none.")
        .example("unix:/run/webship/admin.sock");
    return keys;
  }();
  return object;
}

// One listener may have several addresses; the same twice would fail to bind.
bool check_addresses(Reader& reader, const Node& node, std::span<const base::Address> addresses) {
  if (node.kind == Node::Kind::sequence && node.items.empty()) {
    reader.error(node, "a listener without an address", "write at least one, like \":80\"");
    return false;
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (addresses[i] != addresses[k]) continue;
      reader.error(
          node, std::format("the address {} is here twice", in_quotes(addresses[i].to_string())));
      return false;
    }
  }
  return true;
}

bool check_listener(Reader& reader, const Node& node, ListenerDraft& out) {
  const Node::Entry* entry = node.find("address");
  return entry == nullptr || check_addresses(reader, *entry->value, out.options.addresses);
}

template <typename V>
auto listener_option(V ListenerOptions::* member) {
  return [member](ListenerDraft& out) -> V& { return out.options.*member; };
}

void add_size_limits(Object<Limits>& keys) {
  keys.key("connections", integer<std::uint32_t>(1, 100'000'000), &Limits::connections_max,
           "Connections at once, in all; under a listener: of that listener. Beyond, cleartext is "
           "answered with 503, and TLS closed. The admin pages don't count.");
  keys.key("request_line", size_as<std::uint32_t>(256, kMebibyte), &Limits::request_line_max,
           "Method, target and version; 414 beyond.");
  keys.key("field_size", size_as<std::uint32_t>(256, kMebibyte), &Limits::field_size_max,
           "One field line; 431 beyond.");
  keys.key("fields_size", size_as<std::uint32_t>(256, 16 * kMebibyte), &Limits::fields_size_max,
           "All fields; 431 beyond.");
  keys.key("fields", integer<std::uint32_t>(1, 100'000), &Limits::fields_max,
           "Their count; 431 beyond.");
  keys.key("body_size", size_or("unlimited", UINT64_MAX, 0, UINT64_MAX >> 1),
           &Limits::body_size_max,
           "A request's body; 413 beyond. The filter `body_limit` sets it for a route.");
  keys.key("keepalive_requests", integer<std::uint32_t>(0, UINT32_MAX),
           &Limits::keepalive_requests_max, "Requests on one connection; 0: no limit.");
  keys.key("pipelined", integer<std::uint32_t>(1, 10'000), &Limits::pipelined_max,
           "Requests answered in one go before further input waits.");
}

void add_time_limits(Object<Limits>& keys) {
  keys.key("header_timeout", duration(milliseconds(100), hours(1)), &Limits::header_timeout,
           "For a request's whole head, from its first byte; 408 beyond.");
  keys.key("body_timeout", duration(milliseconds(100), hours(24)), &Limits::body_timeout,
           "Without a byte of a body; 408 beyond.");
  keys.key("body_rate_min", size(0, kMebibyte * 1024), &Limits::body_rate_min,
           "Bytes per second that a body must come with, over `body_timeout`; 0: any.");
  keys.key("send_timeout", duration(milliseconds(100), hours(24)), &Limits::send_timeout,
           "Without progress while a response is sent.");
  keys.key("keepalive_timeout", duration(milliseconds(0), hours(24)), &Limits::keepalive_timeout,
           "Idle between requests.");
  keys.key("handshake_timeout", duration(milliseconds(100), minutes(10)),
           &Limits::handshake_timeout, "For the whole TLS handshake.");
  keys.key("drain_timeout", duration(milliseconds(0), hours(24)), &Limits::drain_timeout,
           "For what is under way when the server ends or a reload removes it.");
}

// The process's limits, from which those of the listeners start.
Type<Limits> top_limits() {
  Type<Limits> type = object_type(limit_keys, "keys");
  type.read = [read = type.read](Reader& reader, const Node& node, Limits& out) {
    const bool good = read(reader, node, out);
    reader.limits = out;
    return good;
  };
  return type;
}

// Empty is as if it weren't there: what a variable of the environment may say.
Type<std::string> user_name() {
  Type<std::string> type = text("user name");
  type.read = [read = type.read](Reader& reader, const Node& node, std::string& out) {
    if (node.kind != Node::Kind::scalar || !node.text.empty()) return read(reader, node, out);
    out.clear();
    return true;
  };
  return type;
}

// Keys, or only its addresses.
Type<ListenerDraft> listener() {
  const Type<std::vector<base::Address>> addresses = list_of(listen_address(), 1000);
  Type<ListenerDraft> short_form;
  short_form.shape = addresses.shape;
  short_form.read = [addresses](Reader& reader, const Node& node, ListenerDraft& out) {
    out.options.name = out.name.name;
    out.options.limits = reader.limits;
    return addresses.read(reader, node, out.options.addresses) &&
           check_addresses(reader, node, out.options.addresses);
  };
  return object_or_short(listener_keys, std::move(short_form), "listener");
}

bool check_top(Reader& reader, const Node& node, Draft& out) {
  const Node::Entry* sites = node.find("sites");
  if (sites == nullptr || !out.sites.empty()) return true;
  if (sites->value->kind == Node::Kind::sequence && sites->value->items.empty()) {
    reader.error(*sites->value, "there is no site",
                 "write at least one, like {host: example.com, files: /srv/www}");
  }
  return false;
}

}  // namespace

bool check_name(Reader& reader, const Node& key) {
  const auto is_name_byte = [](char c) {
    return base::is_alnum(c) || c == '_' || c == '-' || c == '.';
  };
  if (!key.text.empty() && key.text.size() <= 64 && std::ranges::all_of(key.text, is_name_byte)) {
    return true;
  }
  reader.error(key, std::format("{} is not a name", in_quotes(key.text)),
               "a name has letters, digits, - . _ only, and at most 64 of them");
  return false;
}

const Object<Limits>& limit_keys() {
  static const Object<Limits> object = [] {
    Object<Limits> keys("limits", "What a client may send, and how long it may take.");
    add_size_limits(keys);
    add_time_limits(keys);
    return keys;
  }();
  return object;
}

const Object<ListenerDraft>& listener_keys() {
  static const Object<ListenerDraft> object = [] {
    Object<ListenerDraft> keys("a listener", "Where connections come in.");
    keys.key("address", list_of(listen_address(), 1000),
             listener_option(&ListenerOptions::addresses),
             "`:PORT` (IPv4 and IPv6), `IP:PORT`, `[IPv6]:PORT`, `unix:/PATH`, or a list of these.")
        .required()
        .default_text("")
        .example("\":8080\"");
    keys.key("tls", optional(object_type(server_tls_keys, "keys")),
             listener_option(&ListenerOptions::tls),
             "A TLS listener; the keys are defaults for the sites on it. `{}` is enough.");
    keys.key("proxy_protocol", optional(object_type(proxy_protocol_keys, "keys")),
             listener_option(&ListenerOptions::proxy_protocol),
             "Expects a PROXY header, version 1 or 2.");
    keys.key(
            "trusted_proxies", trusted_proxies(),
            [](ListenerDraft& out) -> ListenerDraft& { return out; },
            "Whose X-Forwarded-For, -Proto and -Host count: networks, or keys.")
        .example("[10.0.0.0/8]");
    keys.key("limits", object_type(limit_keys, "keys"), listener_option(&ListenerOptions::limits),
             "As at the top, for this listener; what isn't given is as there.");
    keys.begin([](Reader& reader, const Node&, ListenerDraft& out) {
      out.options.name = out.name.name;
      out.options.limits = reader.limits;
    });
    keys.check(check_listener);
    return keys;
  }();
  return object;
}

const Object<Draft>& top_keys() {
  static const Object<Draft> object = [] {
    const auto option = [](auto Options::* member) {
      return [member](Draft& out) -> auto& { return out.options.*member; };
    };
    Object<Draft> keys("the configuration", "The whole file.");
    keys.key("include", list_of(text("path or glob"), 1000), &Draft::include,
             "Files that are merged in: lists are appended, maps joined.")
        .default_text("")
        .example("[\"sites.d/*.yaml\"]");
    keys.key("workers", integer_or<std::uint32_t>("auto", 0, integer<std::uint32_t>(1, 1024)),
             option(&Options::workers),
             "Threads. `auto`: as many as affinity and the cgroup's quota allow.");
    keys.key("user", user_name(), option(&Options::user),
             "Whom to become after binding, when started as root.")
        .default_text("webship if there is one, else nobody");
    keys.key("limits", top_limits(), option(&Options::limits),
             "What a client may send, and how long it may take.");
    keys.key("listeners", named(listener(), &ListenerDraft::name), &Draft::listeners,
             "Where connections come in, by name. Without it: `http` on :80, and `https` on :443 "
             "if a site has `tls`.");
    keys.key("upstreams", named(object_type(upstream_keys, "upstream"), &GroupDraft::name),
             &Draft::upstreams, "Groups of endpoints, by name.");
    keys.key("sites", list_of(object_type(site_keys, "site"), 100'000, true), &Draft::sites,
             "What is served, by host.")
        .required()
        .example("[{host: example.com, files: /srv/www}]");
    keys.key(
        "log", object_type(log_keys, "keys"), [](Draft& out) -> Options& { return out.options; },
        "Logs.");
    keys.key("admin", object_or_short(admin_keys, admin_address(), "keys"), option(&Options::admin),
             "Status and metrics: an address, `off`, or keys.");
    keys.check(check_top);
    return keys;
  }();
  return object;
}

}  // namespace config
