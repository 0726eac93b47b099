#include "http/router.h"

#include <gtest/gtest.h>

#include "http/fake_carrier.h"

namespace http {
namespace {

TEST(Router, ExactThenLongestWildcardThenDefault) {
  Site exact, wildcard, longer, any;
  Router router;
  router.add("example.com", exact);
  router.add("*.example.com", wildcard);
  router.add("*.a.example.com", longer);
  EXPECT_EQ(router.find("other.org"), nullptr);
  router.add("*", any);
  EXPECT_EQ(router.find("example.com"), &exact);
  EXPECT_EQ(router.find("www.example.com"), &wildcard);
  EXPECT_EQ(router.find("x.y.example.com"), &wildcard);
  EXPECT_EQ(router.find("b.a.example.com"), &longer);
  EXPECT_EQ(router.find("a.example.com"), &wildcard);
  EXPECT_EQ(router.find("other.org"), &any);
  EXPECT_EQ(router.find(""), &any);
}

Regex regex(std::string_view pattern) { return *Regex::compile(pattern); }

bool matches(const MatchOptions& options, FakeExchange& fake) {
  return Matcher(options).matches(fake.exchange);
}

TEST(Matcher, Paths) {
  FakeExchange fake("GET", "/api/users");
  MatchOptions options;
  EXPECT_TRUE(matches(options, fake));
  options.paths = {{.kind = PathPattern::Kind::prefix, .text = "/api", .regex = {}}};
  EXPECT_TRUE(matches(options, fake));
  options.paths = {{.kind = PathPattern::Kind::exact, .text = "/api", .regex = {}}};
  EXPECT_FALSE(matches(options, fake));
  options.globs = {*base::Glob::compile("/api/*")};
  EXPECT_TRUE(matches(options, fake));
  FakeExchange apple("GET", "/apiary");
  options.globs.clear();
  options.paths = {{.kind = PathPattern::Kind::prefix, .text = "/api", .regex = {}}};
  EXPECT_FALSE(matches(options, apple));
}

TEST(Matcher, KeepsTheGroupsOfAPath) {
  FakeExchange fake("GET", "/u/42/x");
  MatchOptions options;
  options.paths = {
      {.kind = PathPattern::Kind::regex, .text = {}, .regex = regex("^/u/(?<id>[0-9]+)/(.*)$")}};
  ASSERT_TRUE(matches(options, fake));
  const auto& captures = fake.exchange.captures();
  ASSERT_EQ(captures.size(), 3u);
  EXPECT_EQ(captures[0].value, "/u/42/x");
  EXPECT_EQ(captures[1].name, "id");
  EXPECT_EQ(captures[1].value, "42");
  EXPECT_EQ(captures[2].value, "x");
}

TEST(Matcher, Methods) {
  MatchOptions options;
  options.methods = {"GET"};
  FakeExchange get("GET", "/"), head("HEAD", "/"), post("POST", "/");
  EXPECT_TRUE(matches(options, get));
  EXPECT_TRUE(matches(options, head));
  EXPECT_FALSE(matches(options, post));
}

NamedPattern named(std::string name, ValuePattern::Kind kind, std::string text) {
  NamedPattern pattern{.name = std::move(name), .value = {.kind = kind, .text = text, .regex = {}}};
  if (kind == ValuePattern::Kind::regex) pattern.value.regex = regex(text);
  return pattern;
}

TEST(Matcher, FieldsQueryAndCookies) {
  FakeExchange fake("GET", "/?a=1&b=x%20y&c",
                    {{"X-One", "1"}, {"X-One", "2"}, {"Cookie", "k=v; z=yes"}});
  using Kind = ValuePattern::Kind;
  auto header = [&](NamedPattern pattern) {
    MatchOptions options;
    options.headers = {std::move(pattern)};
    return matches(options, fake);
  };
  EXPECT_TRUE(header(named("x-one", Kind::exact, "2")));
  EXPECT_FALSE(header(named("X-One", Kind::exact, "3")));
  EXPECT_TRUE(header(named("X-One", Kind::present, "")));
  EXPECT_FALSE(header(named("X-One", Kind::absent, "")));
  EXPECT_TRUE(header(named("X-Two", Kind::absent, "")));
  auto query = [&](NamedPattern pattern) {
    MatchOptions options;
    options.query = {std::move(pattern)};
    return matches(options, fake);
  };
  EXPECT_TRUE(query(named("a", Kind::exact, "1")));
  EXPECT_TRUE(query(named("b", Kind::exact, "x y")));
  EXPECT_TRUE(query(named("c", Kind::exact, "")));
  EXPECT_TRUE(query(named("d", Kind::absent, "")));
  EXPECT_FALSE(query(named("d", Kind::present, "")));
  auto cookie = [&](NamedPattern pattern) {
    MatchOptions options;
    options.cookies = {std::move(pattern)};
    return matches(options, fake);
  };
  EXPECT_TRUE(cookie(named("k", Kind::exact, "v")));
  EXPECT_TRUE(cookie(named("z", Kind::regex, "^y")));
  EXPECT_FALSE(cookie(named("q", Kind::present, "")));
}

}  // namespace
}  // namespace http
