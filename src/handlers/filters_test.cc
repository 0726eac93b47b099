// Tests of the filters that change heads and paths, and of respond and redirect.
#include <gtest/gtest.h>

#include "handlers/allow_deny.h"
#include "handlers/body_limit.h"
#include "handlers/field_changes.h"
#include "handlers/https_redirect.h"
#include "handlers/prefix.h"
#include "handlers/redirect.h"
#include "handlers/respond.h"
#include "handlers/rewrite.h"
#include "handlers/security_headers.h"
#include "http/fake_carrier.h"
#include "http/variables.h"

namespace handlers {
namespace {

using http::FakeExchange;
using http::Verdict;

base::Template text(std::string_view source) {
  auto made = base::Template::compile(source, http::variables());
  EXPECT_TRUE(made) << source;
  return *made;
}

base::CidrSet networks(std::vector<std::string> list) { return *base::CidrSet::parse(list); }

// Filters, then an answer with these fields.
struct Answer final : http::Handler {
  std::vector<std::pair<std::string, std::string>> fields;
  int status = 200;
  http::Outcome handle(http::Exchange& exchange) override {
    for (const auto& [name, value] : fields) exchange.response().fields.add(name, value);
    exchange.response().status = status;
    exchange.respond(base::Slice::copy_of("body"));
    return {};
  }
};

void pass(http::Filter& filter, FakeExchange& fake) {
  fake.filter(filter);
  EXPECT_EQ(fake.verdict, Verdict::next);
}

TEST(RequestFields, RemovedThenSetThenAdded) {
  RequestFieldsOptions options;
  options.remove = {"X-Old", "x-lower"};
  options.set = {{"X-A", text("{request.method}")}, {"x-b", text("b")}};
  options.add = {{"X-A", text("more")}};
  RequestFields filter(options);
  FakeExchange fake("GET", "/", {{"X-Old", "1"}, {"X-LOWER", "2"}, {"X-B", "3"}, {"X-B", "4"}});
  pass(filter, fake);
  std::string seen;
  for (const http::Field& field : fake.exchange.request().fields.all()) {
    seen += std::string(field.name) + "=" + std::string(field.value) + ";";
  }
  EXPECT_EQ(seen, "X-A=GET;x-b=b;X-A=more;");
}

// S32: controls never reach a field.
TEST(RequestFields, S32ValuesLoseControls) {
  RequestFieldsOptions options;
  options.set = {{"X-A", text("<{request.query.q}>")}};
  RequestFields filter(options);
  FakeExchange fake("GET", "/?q=a%0d%0aEvil:%20x%00");
  pass(filter, fake);
  EXPECT_EQ(fake.exchange.request().fields.find("X-A")->value, "<aEvil: x>");
}

TEST(ResponseFields, SeeTheResponse) {
  ResponseFieldsOptions options;
  options.remove = {"Server"};
  options.set = {{"X-Status", text("{response.status}")}};
  options.add = {{"Set-Cookie", text("a=1")}};
  ResponseFields filter(options);
  Answer answer;
  answer.fields = {{"Server", "x"}, {"Set-Cookie", "b=2"}, {"X-Status", "old"}};
  answer.status = 418;
  FakeExchange fake("GET", "/");
  pass(filter, fake);
  fake.handle(answer);
  // Empty, for codecs add their own where there is none.
  EXPECT_EQ(fake.carrier.count("Server"), 1u);
  EXPECT_EQ(fake.carrier.field("Server"), "");
  EXPECT_EQ(fake.carrier.field("X-Status"), "418");
  EXPECT_EQ(fake.carrier.count("Set-Cookie"), 2u);
}

// How a stripped prefix and slashes join, as a table. Raw bytes stay where they mean the same.
TEST(StripPrefix, Table) {
  struct Row {
    const char *prefix, *target, *path, *raw, *stripped;
  };
  const Row kTable[] = {
      {"/api", "/api", "/", "/", "/api"},
      {"/api", "/api/", "/", "/", "/api"},
      {"/api", "/api/x", "/x", "/x", "/api"},
      {"/api", "/apix", "/apix", "/apix", ""},
      {"/api", "/other", "/other", "/other", ""},
      {"/api", "/api/a%2Fb", "/a%2Fb", "/a%2Fb", "/api"},
      {"/api", "/api/%41", "/A", "/%41", "/api"},
      {"/api", "/api//x", "/x", "/x", "/api"},
      {"/api", "/%61pi/x", "/x", "/x", "/api"},
      {"/api", "/api/../api/x", "/x", "/x", "/api"},
      {"/api", "/api/a;b", "/a;b", "/a;b", "/api"},
  };
  for (const Row& row : kTable) {
    const StripPrefixOptions options{row.prefix};
    StripPrefix filter(options);
    FakeExchange fake("GET", row.target);
    pass(filter, fake);
    EXPECT_EQ(fake.exchange.request().path, row.path) << row.target;
    EXPECT_EQ(fake.exchange.stripped_prefix, row.stripped) << row.target;
    // Both spellings of `//x` are fine for an origin; what counts is that they are the same path.
    std::string scratch(64, '\0');
    const auto canonical = http::canonical_path(fake.exchange.request().raw_path, scratch.data());
    ASSERT_TRUE(canonical) << row.target;
    EXPECT_EQ(*canonical, row.path) << row.target;
    if (std::string_view(row.target) != "/api//x") {
      EXPECT_EQ(fake.exchange.request().raw_path, row.raw) << row.target;
    }
  }
}

TEST(StripPrefix, TwoPrefixesAddUp) {
  const StripPrefixOptions first{"/a"};
  const StripPrefixOptions second{"/b"};
  StripPrefix one(first);
  StripPrefix two(second);
  FakeExchange fake("GET", "/a/b/c");
  pass(one, fake);
  pass(two, fake);
  EXPECT_EQ(fake.exchange.request().path, "/c");
  EXPECT_EQ(fake.exchange.stripped_prefix, "/a/b");
}

TEST(AddPrefix, Table) {
  struct Row {
    const char *prefix, *target, *path, *raw;
  };
  const Row kTable[] = {
      {"/v1", "/", "/v1/", "/v1/"},
      {"/v1", "/x", "/v1/x", "/v1/x"},
      {"/v1", "/a%2Fb%41", "/v1/a%2FbA", "/v1/a%2Fb%41"},
      {"/v 1", "/x", "/v 1/x", "/v%201/x"},
  };
  for (const Row& row : kTable) {
    const AddPrefixOptions options{row.prefix};
    AddPrefix filter(options);
    FakeExchange fake("GET", row.target);
    pass(filter, fake);
    EXPECT_EQ(fake.exchange.request().path, row.path);
    EXPECT_EQ(fake.exchange.request().raw_path, row.raw);
  }
}

TEST(Rewrite, Table) {
  struct Row {
    const char *match, *to, *target, *path, *raw, *query;
  };
  const Row kTable[] = {
      {"^/old/(.*)$", "/new/{match.1}", "/old/a/b?x=1", "/new/a/b", "/new/a/b", "x=1"},
      {"^/old/(.*)$", "/new/{match.1}", "/other", "/other", "/other", ""},
      {"^/u/(?<id>[0-9]+)$", "/user?id={match.id}", "/u/7?x=1", "/user", "/user", "id=7"},
      {"^/q$", "/r?", "/q?x=1", "/r", "/r", ""},
      {"^/q$", "/r?{request.query}&y=2", "/q?x=1", "/r", "/r", "x=1&y=2"},
      {"^/s/(.*)$", "/{match.1}", "/s/a%20b%3Fc", "/a b%3Fc", "/a%20b%3Fc", ""},
      {"^/d/(.*)x$", "/new/{match.1}", "/d/..x", "/", "/", ""},
      {"^/e/(.*)$", "//{match.1}", "/e/evil", "/evil", "/evil", ""},
  };
  for (const Row& row : kTable) {
    RewriteOptions options{*http::Regex::compile(row.match), text(row.to)};
    Rewrite filter(options);
    FakeExchange fake("GET", row.target);
    pass(filter, fake);
    EXPECT_EQ(fake.exchange.request().path, row.path) << row.target;
    EXPECT_EQ(fake.exchange.request().raw_path, row.raw) << row.target;
    EXPECT_EQ(fake.exchange.request().query, row.query) << row.target;
  }
}

// S32: what a capture holds climbs out of nothing and splits nothing.
TEST(Rewrite, S32CapturesStayInside) {
  RewriteOptions options{*http::Regex::compile("^/a/(.*)$"), text("/b/{request.query.p}/c")};
  Rewrite filter(options);
  FakeExchange up("GET", "/a/x?p=..%2F..%2F..");
  up.filter(filter);
  EXPECT_EQ(up.verdict, Verdict::answered);
  EXPECT_EQ(up.carrier.status, 400);
  FakeExchange lines("GET", "/a/x?p=1%0d%0aX:%20y");
  pass(filter, lines);
  EXPECT_EQ(lines.exchange.request().raw_path, "/b/1%0D%0AX:%20y/c");
}

TEST(Allow, ByClientAddress) {
  const AllowOptions options{networks({"10.0.0.0/8", "::1"})};
  Allow filter(options);
  FakeExchange fake("GET", "/");
  fake.filter(filter);
  EXPECT_EQ(fake.verdict, Verdict::answered);
  EXPECT_EQ(fake.carrier.status, 403);
  fake.begin("GET", "/");
  fake.exchange.set_client(*base::Address::parse_ip("10.1.2.3"));
  pass(filter, fake);
  fake.begin("GET", "/");
  fake.exchange.set_client(*base::Address::parse_ip("::1"));
  pass(filter, fake);
}

TEST(Deny, ByClientAddress) {
  const DenyOptions options{networks({"127.0.0.0/8"})};
  Deny filter(options);
  FakeExchange fake("GET", "/");
  fake.filter(filter);
  EXPECT_EQ(fake.carrier.status, 403);
  fake.begin("GET", "/");
  fake.exchange.set_client(*base::Address::parse_ip("10.1.2.3"));
  pass(filter, fake);
}

TEST(HttpsRedirect, KeepsTheTargetAsItIs) {
  struct Row {
    const char *host, *target, *location;
    uint16_t port;
  };
  const Row kTable[] = {
      {"example.com", "/a%20b?c=%0d%0a", "https://example.com/a%20b?c=%0d%0a", 443},
      {"example.com", "/", "https://example.com:8443/", 8443},
      {"::1", "/", "https://[::1]/", 443},
      {"example.com", "//evil.com/", "https://example.com//evil.com/", 443},
  };
  for (const Row& row : kTable) {
    HttpsRedirectOptions options;
    options.port = row.port;
    HttpsRedirect filter(options);
    FakeExchange fake("GET", row.target);
    fake.exchange.request().host = row.host;
    fake.filter(filter);
    EXPECT_EQ(fake.carrier.status, 308);
    EXPECT_EQ(fake.carrier.field("Location"), row.location);
  }
}

TEST(HttpsRedirect, LeavesTlsAloneAndNeedsAHost) {
  const HttpsRedirectOptions options;
  HttpsRedirect filter(options);
  FakeExchange fake("GET", "/");
  fake.exchange.request().scheme = "https";
  pass(filter, fake);
  fake.begin("GET", "/");
  fake.exchange.request().host = {};
  fake.filter(filter);
  EXPECT_EQ(fake.carrier.status, 400);
}

// S28
TEST(BodyLimit, S28RefusesADeclaredLengthBeforeReading) {
  const BodyLimitOptions options{10};
  BodyLimit filter(options);
  FakeExchange fake("POST", "/");
  fake.exchange.request().body = http::BodyLength::of(11);
  fake.filter(filter);
  EXPECT_EQ(fake.carrier.status, 413);
  fake.begin("POST", "/");
  fake.exchange.request().body = http::BodyLength::of(10);
  pass(filter, fake);
  EXPECT_EQ(fake.exchange.body_size_max(), 10u);
  fake.begin("POST", "/");
  fake.exchange.request().body = {http::BodyKind::unknown, 0};
  pass(filter, fake);
  EXPECT_EQ(fake.exchange.body_size_max(), 10u);
}

TEST(SecurityHeaders, WhereTheResponseSaysNothingItself) {
  SecurityHeadersOptions options;
  options.csp = "default-src 'self'";
  SecurityHeaders filter(options);
  Answer answer;
  answer.fields = {{"X-Frame-Options", "DENY"}};
  FakeExchange fake("GET", "/");
  pass(filter, fake);
  fake.handle(answer);
  EXPECT_EQ(fake.carrier.field("X-Frame-Options"), "DENY");
  EXPECT_EQ(fake.carrier.field("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(fake.carrier.field("Referrer-Policy"), "strict-origin-when-cross-origin");
  EXPECT_EQ(fake.carrier.field("Content-Security-Policy"), "default-src 'self'");
  EXPECT_FALSE(fake.carrier.has("Strict-Transport-Security"));
  fake.begin("GET", "/");
  fake.exchange.request().scheme = "https";
  pass(filter, fake);
  fake.handle(answer);
  EXPECT_TRUE(fake.carrier.has("Strict-Transport-Security"));
}

TEST(Respond, LiteralsArePreparedOnce) {
  RespondOptions options;
  options.body = text("ok\n");
  options.fields = {{"X-A", text("1")}};
  Respond handler(options);
  FakeExchange fake("POST", "/");
  fake.handle(handler);
  EXPECT_EQ(fake.carrier.prepared, 1u);
  EXPECT_EQ(fake.carrier.status, 200);
  EXPECT_EQ(fake.carrier.body, "ok\n");
  EXPECT_EQ(fake.carrier.field("X-A"), "1");
  EXPECT_EQ(fake.carrier.field("Content-Type"), "text/plain; charset=utf-8");
}

TEST(Respond, AStatusAloneSaysWhatItIs) {
  RespondOptions options;
  options.status = 404;
  Respond handler(options);
  FakeExchange fake("GET", "/");
  fake.handle(handler);
  EXPECT_EQ(fake.carrier.status, 404);
  EXPECT_EQ(fake.carrier.body, "404 Not Found\n");
  options.status = 204;
  Respond empty(options);
  fake.begin("GET", "/");
  fake.handle(empty);
  EXPECT_EQ(fake.carrier.status, 204);
  EXPECT_EQ(fake.carrier.body, "");
  EXPECT_FALSE(fake.carrier.has("Content-Type"));
  options.status = 200;
  Respond nothing(options);
  fake.begin("GET", "/");
  fake.handle(nothing);
  EXPECT_EQ(fake.carrier.length, http::BodyLength::of(0));
}

// S32: values are escaped for the media type they land in.
TEST(Respond, S32ValuesAreEscapedForTheBody) {
  const auto body = [](const char* type) {
    RespondOptions options;
    options.body = text("<{request.query.q}>");
    options.fields = {{"Content-Type", text(type)}};
    Respond handler(options);
    FakeExchange fake("GET", "/?q=%3Cb%3E%22");
    fake.handle(handler);
    return fake.carrier.body;
  };
  EXPECT_EQ(body("text/html; charset=utf-8"), "<&lt;b&gt;&quot;>");
  EXPECT_EQ(body("application/json"), "<<b>\\\">");
  EXPECT_EQ(body("text/plain"), "<<b>\">");
}

TEST(Redirect, TemplatesAndLiterals) {
  const auto location = [](const char* to, const char* target) {
    RedirectOptions options{text(to), 302};
    Redirect handler(options);
    FakeExchange fake("GET", target);
    fake.handle(handler);
    EXPECT_EQ(fake.carrier.status, 302);
    return fake.carrier.field("Location");
  };
  EXPECT_EQ(location("https://other.example/", "/"), "https://other.example/");
  EXPECT_EQ(location("https://{request.host}{request.uri}", "/a?b"), "https://example.com/a?b");
  EXPECT_EQ(location("{request.uri}", "//evil.example/x"), "/evil.example/x");
  EXPECT_EQ(location("{request.query.to}", "/?to=/%5Cevil"), "/%5Cevil");
  EXPECT_EQ(location("//cdn.example{request.path}", "/x"), "//cdn.example/x");
  EXPECT_EQ(location("/x?{request.query.q}", "/?q=a%0d%0aSet-Cookie:%20b"),
            "/x?a%0D%0ASet-Cookie:%20b");
}

}  // namespace
}  // namespace handlers
