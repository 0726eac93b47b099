// Everything that a server is made of: what apply() takes.
//
// A file is one source of it (config/), a command line another; nothing here or below knows which.
// Plain values, complete and consistent: names resolve, hosts are unique on a listener, each site
// has its effective TLS options per listener. Whether files, users and ports are there is found out
// when it is applied. What has the same name or id in two of these is the same thing, and what
// compares equal did not change. Immutable once built, shared by all workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/address.h"
#include "base/cidr.h"
#include "base/template.h"
#include "handlers/options.h"
#include "http/limits.h"
#include "http/route_options.h"
#include "proxy/options.h"
#include "tls/options.h"
#include "upstream/options.h"

namespace server {

struct Limits : http::Limits {
  std::uint32_t connections_max = 100'000;

  bool operator==(const Limits&) const = default;
};

// Expects a PROXY header (v1 or v2) from these peers; others speak plainly (N01).
struct ProxyProtocolOptions {
  base::CidrSet trusted;
  std::chrono::nanoseconds timeout = std::chrono::seconds(5);

  bool operator==(const ProxyProtocolOptions&) const = default;
};

enum class ForwardedField : std::uint8_t { kXForwardedFor, kForwarded };

struct ListenerOptions {
  std::string name;
  std::vector<base::Address> addresses;
  std::optional<tls::ServerOptions> tls;
  std::optional<ProxyProtocolOptions> proxy_protocol;
  base::CidrSet trusted_proxies;
  ForwardedField trusted_field = ForwardedField::kXForwardedFor;
  Limits limits;  // complete: what the listener doesn't set is that of Options

  bool operator==(const ListenerOptions&) const = default;
};

using HandlerOptions = std::variant<handlers::RespondOptions, handlers::RedirectOptions,
                                    handlers::FilesOptions, proxy::Options>;

using FilterOptions =
    std::variant<handlers::RequestFieldsOptions, handlers::ResponseFieldsOptions,
                 handlers::StripPrefixOptions, handlers::AddPrefixOptions, handlers::RewriteOptions,
                 handlers::AllowOptions, handlers::DenyOptions, handlers::HttpsRedirectOptions,
                 handlers::BasicAuthOptions, handlers::BodyLimitOptions, handlers::CompressOptions,
                 handlers::ErrorPagesOptions, handlers::SecurityHeadersOptions>;

struct RouteOptions {
  std::string id;  // within its site: its conditions as text, `#2` where they repeat
  http::MatchOptions match;
  std::vector<FilterOptions> filters;
  HandlerOptions handler;

  bool operator==(const RouteOptions&) const = default;
};

// A site on a listener.
struct SiteListener {
  std::string listener;
  std::optional<tls::ServerOptions> tls;  // effective; set exactly where the listener has TLS

  bool operator==(const SiteListener&) const = default;
};

struct SiteOptions {
  std::string id;                  // its first host; `#2` where another site has the same
  std::vector<std::string> hosts;  // lower case: exact, `*.example.com`, or `*`
  std::vector<SiteListener> listeners;
  bool own_tls = false;                // the site itself has `tls`
  std::vector<FilterOptions> filters;  // before any route's own
  std::vector<RouteOptions> routes;    // first match wins; a site with one handler has one route

  bool operator==(const SiteOptions&) const = default;
};

struct LogTarget {
  enum class Kind : std::uint8_t { kStdout, kStderr, kFile };
  Kind kind = Kind::kStdout;
  std::string path;  // of a file

  bool operator==(const LogTarget&) const = default;
};

struct AccessLogOptions {
  enum class Format : std::uint8_t { kOff, kCombined, kJson, kTemplate };
  Format format = Format::kCombined;
  base::Template line;  // where format is kTemplate; Escape::kLog
  LogTarget to;

  bool operator==(const AccessLogOptions&) const = default;
};

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

struct DiagnosticsLogOptions {
  LogLevel level = LogLevel::kInfo;
  LogTarget to{.kind = LogTarget::Kind::kStderr, .path = {}};

  bool operator==(const DiagnosticsLogOptions&) const = default;
};

struct AdminOptions {
  // Loopback or unix. None: off.
  std::optional<base::Address> address = base::Address::ipv4(0x7f000001, 2019);

  bool operator==(const AdminOptions&) const = default;
};

struct Options {
  std::uint32_t workers = 0;  // 0: as many as affinity and the cgroup's quota allow
  std::string user;           // empty: webship if there is one, else nobody
  std::vector<ListenerOptions> listeners;
  std::vector<upstream::GroupOptions> upstreams;
  std::vector<SiteOptions> sites;
  AccessLogOptions access_log;
  DiagnosticsLogOptions diagnostics_log;
  AdminOptions admin;
  Limits limits;  // connections_max counts those of all listeners

  bool operator==(const Options&) const = default;
};

}  // namespace server
