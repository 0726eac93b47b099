#include "http/cookie.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(CookieTest, Finds) {
  EXPECT_EQ(find_cookie("a=1; b=2", "a"), "1");
  EXPECT_EQ(find_cookie("a=1; b=2", "b"), "2");
  EXPECT_EQ(find_cookie("a=1;b=2", "b"), "2");
  EXPECT_EQ(find_cookie("ab=1; a=2", "a"), "2");
  EXPECT_EQ(find_cookie("a=1; a=2", "a"), "1");
  EXPECT_EQ(find_cookie("a=x=y", "a"), "x=y");
  EXPECT_EQ(find_cookie("a=\"q\"", "a"), "\"q\"");
  EXPECT_EQ(find_cookie("a=", "a"), "");
  EXPECT_EQ(find_cookie("a = 1", "a"), "1");
  EXPECT_EQ(find_cookie("A=1", "a"), std::nullopt);
  EXPECT_EQ(find_cookie("a", "a"), std::nullopt);
  EXPECT_EQ(find_cookie("x=a=1", "a"), std::nullopt);
  EXPECT_EQ(find_cookie("", "a"), std::nullopt);
  EXPECT_EQ(find_cookie(";;;", "a"), std::nullopt);
}

std::string rewritten(std::string_view field, const CookieRewrite& rewrite) {
  std::string out;
  append_rewritten_set_cookie(out, field, rewrite);
  return out;
}

TEST(CookieTest, RewritesPath) {
  const CookieRewrite mount{
      .path_from = "/", .path_to = "/app", .domain_from = {}, .domain_to = {}};
  EXPECT_EQ(rewritten("a=1", mount), "a=1");
  EXPECT_EQ(rewritten("a=1; Path=/; Secure", mount), "a=1; Path=/app; Secure");
  EXPECT_EQ(rewritten("a=1;path=/x;HttpOnly", mount), "a=1; Path=/app/x;HttpOnly");
  EXPECT_EQ(rewritten("Path=/; Path = /x ;", mount), "Path=/; Path=/app/x;");
  EXPECT_EQ(rewritten("a=1; Path=x", mount), "a=1; Path=x");
  EXPECT_EQ(rewritten("a=1; Path=/", {}), "a=1; Path=/");
  const CookieRewrite move{
      .path_from = "/old", .path_to = "/new", .domain_from = {}, .domain_to = {}};
  EXPECT_EQ(rewritten("a=1; Path=/old/x", move), "a=1; Path=/new/x");
  EXPECT_EQ(rewritten("a=1; Path=/old", move), "a=1; Path=/new");
  EXPECT_EQ(rewritten("a=1; Path=/old/", move), "a=1; Path=/new/");
  EXPECT_EQ(rewritten("a=1; Path=/older", move), "a=1; Path=/older");
}

TEST(CookieTest, RewritesDomain) {
  const CookieRewrite move{
      .path_from = {}, .path_to = {}, .domain_from = "origin.test", .domain_to = "example.com"};
  EXPECT_EQ(rewritten("a=1; Domain=.Origin.Test; Secure", move), "a=1; Domain=example.com; Secure");
  EXPECT_EQ(rewritten("a=1; Domain=x.origin.test", move), "a=1; Domain=x.origin.test");
  EXPECT_EQ(rewritten("a=1", move), "a=1");
  const CookieRewrite drop{.path_from = {}, .path_to = {}, .domain_from = "*", .domain_to = {}};
  EXPECT_EQ(rewritten("a=1; domain=x; Secure", drop), "a=1; Secure");
}

}  // namespace
}  // namespace http
