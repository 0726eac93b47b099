#include "base/glob.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "base/random.h"

namespace base {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto glob = Glob::compile(pattern);
  EXPECT_TRUE(glob) << pattern << ": " << glob.error_or("");
  return glob && glob->matches(text);
}

struct Row {
  const char *pattern, *text;
  bool matches;
};

constexpr Row kTable[] = {{"/a", "/a", true},
                          {"/a", "/ab", false},
                          {"/a", "/", false},
                          {"/*", "/", true},
                          {"/*", "/abc", true},
                          {"/*", "/a/b", false},
                          {"/*.css", "/x.css", true},
                          {"/*.css", "/.css", true},
                          {"/*.css", "/a/x.css", false},
                          {"/a*c", "/abbc", true},
                          {"/a*c", "/ac", true},
                          {"/a*c", "/acd", false},
                          {"/**", "/a/b/c", true},
                          {"/**", "/", true},
                          {"**", "", true},
                          {"**", "/a/b", true},
                          {"/a/**", "/a/", true},
                          {"/a/**", "/a", false},
                          {"/a/**", "/a/b/c", true},
                          {"/a/**/b", "/a/b", true},
                          {"/a/**/b", "/a/x/b", true},
                          {"/a/**/b", "/a/x/y/b", true},
                          {"/a/**/b", "/a/xb", false},
                          {"/a/**/b", "/ab", false},
                          {"**/x.js", "x.js", true},
                          {"**/x.js", "/a/x.js", true},
                          {"**/x.js", "ax.js", false},
                          {"/**/*.js", "/x.js", true},
                          {"/**/*.js", "/a/b/x.js", true},
                          {"/**/*.js", "/a/x.ts", false},
                          {"/**/**/*", "/x", true},
                          {"/**/**/*", "/a/b/c/d", true},
                          {"/a**b", "/a/x/b", true},
                          {"/a**/b", "/a/b", true},
                          {"/a**/b", "/ab", false},
                          {"/a**/b", "/ax/y/b", true},
                          {"/?", "/a", true},
                          {"/?", "//", false},
                          {"/?", "/", false},
                          {"/[a-c]x", "/bx", true},
                          {"/[a-c]x", "/dx", false},
                          {"/[!a-c]x", "/dx", true},
                          {"/[^a-c]x", "/bx", false},
                          {"/[!a]", "//", false},
                          {"/[]]", "/]", true},
                          {"/[!]]", "/]", false},
                          {"/[a-]", "/-", true},
                          {"/[\\]]", "/]", true},
                          {"/[\\a-\\c]", "/b", true},
                          {"/{a,b}", "/a", true},
                          {"/{a,b}", "/b", true},
                          {"/{a,b}", "/c", false},
                          {"/{a,b}", "/a,b", false},
                          {"/{,x}y", "/y", true},
                          {"/{,x}y", "/xy", true},
                          {"/{a{b,c},d}e", "/ace", true},
                          {"/{a{b,c},d}e", "/de", true},
                          {"/{a{b,c},d}e", "/ae", false},
                          {"/{a,b}{1,2}", "/b2", true},
                          {"*.{png,jpg}", "x.jpg", true},
                          {"/{a}", "/a", true},
                          {"/[{]", "/{", true},
                          {"/[,]{a,b}", "/,b", true},
                          {"/\\*", "/*", true},
                          {"/\\*", "/a", false},
                          {"/\\{a\\}", "/{a}", true},
                          {"/{a\\,b,c}", "/a,b", true},
                          {"/{*.js,**/x}", "/a/b/x", true},
                          {"/\xc3\xa4*", "/\xc3\xa4\xff", true},
                          {"/a?", "/a\xff", true}};

TEST(GlobTest, Table) {
  for (const Row& row : kTable) {
    EXPECT_EQ(matches(row.pattern, row.text), row.matches) << row.pattern << ' ' << row.text;
  }
}

TEST(GlobTest, Refuses) {
  for (const char* bad : {"", "/[a", "/[", "/[!", "/[]", "/{a", "/a}", "/{a,{b}", "/a\\", "/[z-a]",
                          "/[a\\", "/{[a,b}"}) {
    EXPECT_FALSE(Glob::compile(bad)) << bad;
  }
  EXPECT_FALSE(Glob::compile(std::string(1024, 'a')));
  EXPECT_TRUE(Glob::compile(std::string(1023, 'a')));
  std::string braces;
  for (int i = 0; i < 9; ++i) braces += "{a,b}";
  EXPECT_FALSE(Glob::compile(braces));
  EXPECT_FALSE(Glob::compile(std::string(100, '{') + std::string(100, '}')));
  EXPECT_EQ(Glob::compile("/[a").error(),
            "the pattern '/[a' has no closing ]; write \\[ for the character");
}

TEST(GlobTest, LongPatternsCrossWords) {
  const std::string run(100, 'x');
  EXPECT_TRUE(matches("/" + run + "*" + run + "?/**/" + run, "/" + run + run + run + "y/" + run));
  EXPECT_FALSE(matches("/" + run + "*" + run + "?/**/" + run, "/" + run + run + "/" + run));
  for (std::size_t n = 50; n < 140; ++n) {
    const std::string head(n, 'x');
    EXPECT_TRUE(matches("/" + head + "/**/*.{js,css}", "/" + head + "/a/b.css")) << n;
    EXPECT_TRUE(matches("/" + head + "/**/*.{js,css}", "/" + head + "/b.js")) << n;
    EXPECT_FALSE(matches("/" + head + "/**/*.{js,css}", "/" + head + "/b.jss")) << n;
  }
}

// A plain backtracking matcher of elements without braces and brackets, to compare with.
bool slow(std::string_view p, std::string_view t, bool at_segment = true) {
  if (p.empty()) return t.empty();
  if (p.starts_with("**")) {
    const std::string_view rest = p.substr(2);
    if (at_segment && rest.starts_with('/') && slow(rest.substr(1), t, true)) return true;
    for (std::size_t i = 0; i <= t.size(); ++i) {
      if (slow(rest, t.substr(i), false)) return true;
    }
    return false;
  }
  if (p[0] == '*') {
    for (std::size_t i = 0; i <= t.size() && (i == 0 || t[i - 1] != '/'); ++i) {
      if (slow(p.substr(1), t.substr(i), false)) return true;
    }
    return false;
  }
  if (t.empty() || (p[0] == '?' ? t[0] == '/' : p[0] != t[0])) return false;
  return slow(p.substr(1), t.substr(1), p[0] == '/');
}

TEST(GlobTest, AgreesWithBacktracking) {
  Random random({1, 2, 3, 4});
  const auto any = [&](std::string_view letters, std::size_t size_max) {
    std::string out;
    for (std::size_t n = random.below(size_max + 1); n > 0; --n) {
      out += letters[random.below(letters.size())];
    }
    return out;
  };
  int matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string pattern = any("ab//**?", 9);
    if (pattern.empty() || pattern.contains("***")) continue;
    const std::string text = any("ab/", 8);
    const bool expected = slow(pattern, text);
    matched += expected;
    ASSERT_EQ(matches(pattern, text), expected) << pattern << ' ' << text;
  }
  EXPECT_GT(matched, 200);
}

TEST(GlobTest, D06HostileTextIsLinear) {
  std::string pattern;
  for (int i = 0; i < 25; ++i) pattern += "**a*";
  const Glob glob = *Glob::compile(pattern + "b");
  const std::string text(100'000, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob.matches(text));
  // Backtracking would take longer than the universe is old; this bound is only generous.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

}  // namespace
}  // namespace base
