#include "http/target.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

using namespace std::string_view_literals;

TargetError error_of(std::string_view target) {
  const auto result = parse_target(target);
  EXPECT_FALSE(result) << target;
  return result ? TargetError{} : result.error();
}

TEST(TargetTest, OriginForm) {
  const auto target = parse_target("/a/b;c?d=e&f?g").value();
  EXPECT_EQ(target.form, TargetForm::kOrigin);
  EXPECT_EQ(target.path, "/a/b;c");
  EXPECT_EQ(target.query, "d=e&f?g");
  EXPECT_TRUE(target.has_query);
  EXPECT_EQ(parse_target("/")->path, "/");
  EXPECT_FALSE(parse_target("/")->has_query);
  EXPECT_TRUE(parse_target("/?")->has_query);
  EXPECT_EQ(parse_target("/?")->query, "");
  EXPECT_EQ(parse_target("//evil/x")->path, "//evil/x");
}

TEST(TargetTest, S17AbsoluteForm) {
  const auto target = parse_target("HTTP://User.Example:8080/x?y").value();
  EXPECT_EQ(target.form, TargetForm::kAbsolute);
  EXPECT_FALSE(target.https);
  EXPECT_EQ(target.authority.host, "User.Example");
  EXPECT_EQ(target.authority.port, 8080);
  EXPECT_EQ(target.authority.text, "User.Example:8080");
  EXPECT_EQ(target.path, "/x");
  EXPECT_EQ(target.query, "y");
  EXPECT_TRUE(parse_target("https://a/")->https);
  EXPECT_EQ(parse_target("http://a")->path, "/");
  EXPECT_EQ(parse_target("http://a?q")->path, "/");
  EXPECT_EQ(parse_target("http://a?q")->query, "q");
  EXPECT_EQ(parse_target("http://[::1]:80/")->authority.host, "::1");

  EXPECT_EQ(error_of("ftp://a/"), TargetError::kBadScheme);
  EXPECT_EQ(error_of("http:/a"), TargetError::kNotATarget);
  EXPECT_EQ(error_of("http:a"), TargetError::kNotATarget);
  EXPECT_EQ(error_of("http://"), TargetError::kBadHost);
  EXPECT_EQ(error_of("http:///x"), TargetError::kBadHost);
  EXPECT_EQ(error_of("http://u@a/"), TargetError::kUserinfo);
  EXPECT_EQ(error_of("http://u:p@a/"), TargetError::kUserinfo);
  EXPECT_EQ(error_of("http://a b/"), TargetError::kBadHost);
  EXPECT_EQ(error_of("http://a/#x"), TargetError::kBadCharacter);
  EXPECT_EQ(error_of("http://a#x"), TargetError::kBadCharacter);
}

TEST(TargetTest, OtherForms) {
  EXPECT_EQ(parse_target("*")->form, TargetForm::kAsterisk);
  EXPECT_EQ(parse_target("*")->path, "");
  const auto connect = parse_connect_target("example.com:443").value();
  EXPECT_EQ(connect.form, TargetForm::kAuthority);
  EXPECT_EQ(connect.authority.host, "example.com");
  EXPECT_EQ(connect.authority.port, 443);
  EXPECT_EQ(parse_connect_target("example.com").error(), TargetError::kNoPort);
  EXPECT_EQ(parse_connect_target("example.com:").error(), TargetError::kNoPort);
  EXPECT_EQ(parse_connect_target("/x").error(), TargetError::kBadHost);
  EXPECT_EQ(parse_connect_target("").error(), TargetError::kEmpty);
  EXPECT_EQ(error_of(""), TargetError::kEmpty);
  EXPECT_EQ(error_of("x"), TargetError::kNotATarget);
  EXPECT_EQ(error_of("**"), TargetError::kNotATarget);
  EXPECT_EQ(error_of("example.com:80"), TargetError::kBadScheme);
  EXPECT_EQ(error_of("?x"), TargetError::kNotATarget);
}

// Every byte, at every place around a block of 16, in path and query.
TEST(TargetTest, S18BytesOfATarget) {
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool never = i <= ' ' || i >= 0x7f || c == '#' || c == '\\';
    const bool query_only = c == '"' || c == '<' || c == '>';
    for (std::size_t size : {2, 15, 16, 17, 18, 33, 40}) {
      for (std::size_t at = 1; at < size; ++at) {
        std::string path = "/" + std::string(size - 1, 'x');
        path[at] = c;
        ASSERT_EQ(parse_target(path).has_value(), !never && !query_only) << path;
        if (never || query_only) {
          ASSERT_EQ(error_of(path), TargetError::kBadCharacter);
        }
        std::string query = "/?" + std::string(size - 1, 'x');
        query[at + 1] = c;
        ASSERT_EQ(parse_target(query).has_value(), !never) << query;
      }
    }
  }
}

TEST(TargetTest, S18LeniencyThatBrowsersNeed) {
  EXPECT_TRUE(parse_target("/[a]{b}|^`"));
  EXPECT_TRUE(parse_target("/?q={\"a\":[1]}<b>|^`%&100%"));
  EXPECT_EQ(parse_target("/%0d%0aX")->path, "/%0d%0aX");
}

TEST(TargetTest, S16Authorities) {
  const auto host = [](std::string_view text) { return std::string(parse_authority(text)->host); };
  EXPECT_EQ(host("Example.COM"), "Example.COM");
  EXPECT_EQ(host("example.com."), "example.com");
  EXPECT_EQ(host("a_b-c~d.1"), "a_b-c~d.1");
  EXPECT_EQ(host("[2001:DB8::1]:443"), "2001:DB8::1");
  EXPECT_EQ(parse_authority("a:0")->port, 0);
  EXPECT_EQ(parse_authority("a:65535")->port, 65535);
  EXPECT_EQ(parse_authority("a:00080")->port, 80);
  EXPECT_EQ(parse_authority("a:")->port, std::nullopt);
  EXPECT_EQ(parse_authority("a")->port, std::nullopt);
  EXPECT_EQ(parse_authority("127.0.0.1:80")->kind, HostKind::kIpv4);
  EXPECT_EQ(parse_authority("127.0.0.1.")->kind, HostKind::kIpv4);
  EXPECT_EQ(parse_authority("127.0.0.999")->kind, HostKind::kName);
  EXPECT_EQ(parse_authority("[::1]")->kind, HostKind::kIpv6);
  EXPECT_TRUE(parse_authority(std::string(255, 'a')));
}

TEST(TargetTest, S16BadAuthorities) {
  for (std::string_view bad :
       {""sv,     ":80"sv,       "a,b"sv,        "a, b"sv,    "a b"sv,    "a/b"sv,       "/"sv,
        "a\0b"sv, "a\tb"sv,      "a?"sv,         "a#"sv,      "a%20b"sv,  "a\xc3\xa4"sv, ".a"sv,
        "a..b"sv, "a.."sv,       "."sv,          "[::1"sv,    "::1]"sv,   "[::1]80"sv,   "[::1]]"sv,
        "[]"sv,   "[1.2.3.4]"sv, "[::1%eth0]"sv, "[::1%1]"sv, "[v1.x]"sv, "::1"sv,       "a[b]"sv,
        "a\\b"sv, "a;b"sv,       "<a>"sv,        "\"a\""sv}) {
    EXPECT_FALSE(parse_authority(bad)) << bad;
  }
  for (std::string_view bad : {"a:b"sv, "a:65536"sv, "a:99999"sv, "a:123456"sv, "a:-1"sv, "a:+1"sv,
                               "a:8 0"sv, "a:80:80"sv, "[::1]:x"sv, "a:80,b"sv, "a:80/"sv}) {
    EXPECT_EQ(parse_authority(bad).error(), TargetError::kBadPort) << bad;
  }
  for (std::string_view bad : {"u@a"sv, "u:p@a"sv, "@a"sv, "u@[::1]"sv}) {
    EXPECT_EQ(parse_authority(bad).error(), TargetError::kUserinfo) << bad;
  }
  EXPECT_FALSE(parse_authority(std::string(256, 'a')));
}

TEST(TargetTest, LowerHostCopiesOnlyWhatItChanges) {
  char scratch[16];
  const std::string_view lower = "example.com";
  EXPECT_EQ(lower_host(lower, scratch).data(), lower.data());
  EXPECT_EQ(lower_host("Example.COM", scratch), lower);
}

TEST(TargetTest, EveryErrorHasASentence) {
  for (int i = 0; i <= static_cast<int>(TargetError::kNotATarget); ++i) {
    EXPECT_FALSE(to_string(static_cast<TargetError>(i)).empty());
  }
}

}  // namespace
}  // namespace http
