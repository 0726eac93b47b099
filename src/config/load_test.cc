#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <format>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "config/endpoint.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Texts = std::map<std::string, std::string>;

Surroundings surroundings(Texts files, Texts environment = {}) {
  const auto find = [](const Texts& texts, const std::string& name) -> std::optional<std::string> {
    const auto found = texts.find(name);
    if (found == texts.end()) return std::nullopt;
    return found->second;
  };
  return {
      .read = [files, find](const std::string& path) -> std::expected<std::string, std::string> {
        if (auto text = find(files, path)) return *text;
        return std::unexpected("No such file or directory");
      },
      .glob =
          [files](const std::string& pattern) {
            const std::string prefix = pattern.substr(0, pattern.find('*'));
            std::vector<std::string> paths;
            for (const auto& [path, text] : files) {
              if (path.starts_with(prefix)) paths.push_back(path);
            }
            return paths;
          },
      .environment = [environment,
                      find](const std::string& name) { return find(environment, name); }};
}

server::Options good(const std::string& text, Texts environment = {}) {
  auto options =
      load("etc/webship.yaml", surroundings({{"etc/webship.yaml", text}}, std::move(environment)));
  EXPECT_TRUE(options.has_value()) << options.error();
  return options.value_or(server::Options{});
}

std::string error(const std::string& text) {
  const auto options = load("webship.yaml", surroundings({{"webship.yaml", text}}));
  EXPECT_FALSE(options.has_value());
  return options ? std::string() : options.error();
}

constexpr char kSite[] = "sites: [{host: example.com, files: /srv/www}]\n";

TEST(Load, TheLeastIsEnough) {
  const server::Options options = good(kSite);
  ASSERT_EQ(options.listeners.size(), 1u);
  EXPECT_EQ(options.listeners[0].name, "http");
  EXPECT_EQ(options.listeners[0].addresses, std::vector{base::Address::dual(80)});
  EXPECT_EQ(options.limits, server::Limits());
  EXPECT_EQ(options.access_log, server::AccessLogOptions());
  EXPECT_EQ(options.admin, server::AdminOptions());
  ASSERT_EQ(options.sites.size(), 1u);
  const server::SiteOptions& site = options.sites[0];
  EXPECT_EQ(site.id, "example.com");
  EXPECT_THAT(site.hosts, ElementsAre("example.com"));
  ASSERT_EQ(site.routes.size(), 1u);
  handlers::FilesOptions files;
  files.root = "/srv/www";
  EXPECT_EQ(std::get<handlers::FilesOptions>(site.routes[0].handler), files);
}

TEST(Load, AReloadComparesEqual) {
  const std::string text = std::string(kSite) + "workers: 2\n";
  EXPECT_EQ(good(text), good("workers: 2\n" + std::string(kSite)));
  EXPECT_NE(good(text), good(kSite));
}

TEST(Load, PathsAreRelativeToTheFile) {
  const server::Options options =
      good("sites: [{host: a, files: www}]\nlog: {access: {to: ../access.log}}\n");
  EXPECT_EQ(std::get<handlers::FilesOptions>(options.sites[0].routes[0].handler).root, "etc/www");
  EXPECT_EQ(options.access_log.to.path, "access.log");
}

TEST(Load, ASiteInheritsTheTlsOfEachListener) {
  const server::Options options = good(R"(
listeners:
  a: {address: ":1", tls: {min_version: "1.3", ciphers: AAA, client_auth: {ca: /a.pem, depth: 1}}}
  b: {address: ":2", tls: {ciphers: BBB}}
  c: ":3"
sites:
  - host: x.example
    tls: {certificates: {certificate: /x.pem}, client_auth: {mode: require, ca: /x-ca.pem}}
    files: /srv
  - {host: y.example, files: /srv}
)");
  const server::SiteOptions& site = options.sites[0];
  EXPECT_TRUE(site.own_tls);
  ASSERT_EQ(site.listeners.size(), 3u);
  const tls::ServerOptions& on_a = *site.listeners[0].tls;
  EXPECT_EQ(on_a.min_version, tls::Version::kTls13);
  EXPECT_EQ(on_a.ciphers, "AAA");
  EXPECT_EQ(on_a.client_auth.mode, tls::ClientAuthMode::kRequire);
  EXPECT_EQ(on_a.client_auth.ca, "/x-ca.pem");
  EXPECT_EQ(on_a.client_auth.depth, 1u);
  EXPECT_EQ(site.listeners[1].tls->ciphers, "BBB");
  EXPECT_EQ(site.listeners[1].tls->min_version, tls::Version::kTls12);
  EXPECT_FALSE(site.listeners[2].tls.has_value());
  EXPECT_EQ(options.sites[1].listeners[0].tls, options.listeners[0].tls);
}

TEST(Load, ListenersInheritTheLimits) {
  const server::Options options = good(R"(
listeners:
  a: ":1"
  b: {address: ":2", limits: {fields: 7}}
limits: {fields: 5, connections: 9}
)" + std::string(kSite));
  EXPECT_EQ(options.listeners[0].limits, options.limits);
  EXPECT_EQ(options.listeners[1].limits.fields_max, 7u);
  EXPECT_EQ(options.listeners[1].limits.connections_max, 9u);
}

TEST(Load, UpstreamsInPlaceAreSharedWhereTheyAreEqual) {
  const server::Options options = good(R"(
sites:
  - host: a
    routes:
      - {match: /1, proxy: "http://h"}
      - {match: /2, proxy: ["http://H:80/"]}
      - {match: /3, proxy: {upstream: "http://h", connect_timeout: 1s}}
)");
  ASSERT_EQ(options.upstreams.size(), 2u);
  EXPECT_EQ(options.upstreams[0].name, "http://h:80");
  EXPECT_EQ(options.upstreams[1].name, "http://h:80#2");
  EXPECT_EQ(options.upstreams[1].connect_timeout, std::chrono::seconds(1));
  const auto upstream = [&](std::size_t route) {
    return std::get<proxy::Options>(options.sites[0].routes[route].handler).upstream;
  };
  EXPECT_EQ(upstream(0), "http://h:80");
  EXPECT_EQ(upstream(1), "http://h:80");
  EXPECT_EQ(upstream(2), "http://h:80#2");
}

TEST(Load, RoutesAreNamedByTheirConditions) {
  const server::Options options = good(R"(
sites:
  - host: a
    routes:
      - {match: /a/*, respond: 200}
      - {match: /a/*, respond: 201}
      - {match: {path: "~^/x", method: [GET]}, respond: 202}
      - respond: 404
)");
  std::vector<std::string> ids;
  for (const auto& route : options.sites[0].routes) ids.push_back(route.id);
  EXPECT_THAT(ids, ElementsAre("/a/*", "/a/*#2", "GET ~^/x", "everything"));
}

TEST(Load, TheEnvironmentCannotChangeTheStructure) {
  const server::Options options = good("sites: [{host: a, respond: {body: \"${EVIL}\"}}]\n",
                                       {{"EVIL", "\"}}]\nadmin: \"0.0.0.0:1\" # {{"}});
  const auto& respond = std::get<handlers::RespondOptions>(options.sites[0].routes[0].handler);
  EXPECT_EQ(respond.body.source(), "\"}}]\nadmin: \"0.0.0.0:1\" # {{");
  EXPECT_EQ(options.admin, server::AdminOptions());
}

TEST(Load, IncludesAreBoundedInDepth) {
  Texts files;
  for (int i = 0; i < 20; ++i) {
    files[std::format("{}.yaml", i)] = std::format("include: {}.yaml\n", i + 1);
  }
  files["20.yaml"] = kSite;
  const auto options = load("0.yaml", surroundings(files));
  ASSERT_FALSE(options.has_value());
  EXPECT_THAT(options.error(), HasSubstr("files include each other more than 8 deep"));
}

TEST(Load, ErrorsAreBoundedInNumber) {
  std::string text = "sites:\n";
  for (int i = 0; i < 1000; ++i) text += std::format("  - {{host: h{}, fles: x}}\n", i);
  EXPECT_THAT(error(text), HasSubstr("and more; these are the first 100 errors"));
}

TEST(Load, AnErrorOfAFieldNamesNoSecret) {
  EXPECT_THAT(error("sites: [{respond: 200, filters: [{basic_auth: {users: {a: hunter2}}}]}]\n"),
              HasSubstr("the password of \"a\" is not a bcrypt"));
}

TEST(Load, TenThousandSites) {
  std::string text = "sites:\n";
  for (int i = 0; i < 10'000; ++i) {
    text += std::format("  - {{host: h{}.example, proxy: \"http://10.0.0.1:{}\"}}\n", i, i + 1);
  }
  EXPECT_EQ(good(text).sites.size(), 10'000u);
}

TEST(ParseEndpoint, OneSpellingForEach) {
  const auto id = [](std::string_view url) {
    const auto endpoint = parse_endpoint(url);
    return endpoint ? endpoint->id : "error: " + endpoint.error().message;
  };
  EXPECT_EQ(id("http://Example.com"), "http://example.com:80");
  EXPECT_EQ(id("HTTPS://example.com/"), "https://example.com:443");
  EXPECT_EQ(id("http://[::1]:3000"), "http://[::1]:3000");
  EXPECT_EQ(id("unix:/run/app.sock"), "unix:/run/app.sock");
  EXPECT_THAT(id("http://user@h"), HasSubstr("error: "));
  EXPECT_THAT(id("http://h/path"), HasSubstr("error: "));
  EXPECT_THAT(id("http://h?q"), HasSubstr("error: "));
  EXPECT_THAT(id("h:80"), HasSubstr("error: "));
  EXPECT_EQ(parse_endpoint("http://127.0.0.1:81")->address, base::Address::ipv4(0x7f000001, 81));
  EXPECT_EQ(parse_endpoint("http://name")->address, base::Address());
}

}  // namespace
}  // namespace config
