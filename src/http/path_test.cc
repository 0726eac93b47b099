#include "http/path.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http {
namespace {

// The canonical form, or the error's text.
std::string canonical(std::string_view raw) {
  // Exactly the scratch that is promised, so that a sanitizer sees a byte too many.
  std::vector<char> scratch(raw.size());
  const auto path = canonical_path(raw, scratch.data());
  return std::string(path ? *path : to_string(path.error()));
}

const std::string kAbove(to_string(PathError::kAboveRoot));
const std::string kDots(to_string(PathError::kAmbiguousDots));
const std::string kNul(to_string(PathError::kNul));
const std::string kEscape(to_string(PathError::kBadEscape));

TEST(PathTest, WhatIsCanonicalIsNotCopied) {
  for (std::string_view raw :
       {"/", "/a", "/a/b/", "/a;b=1/c", "/a.b/c..d", "/\xc3\xa4",
        "/a/long/path/of/more/than/sixteen/bytes/x.html", "/a'b(c)!*,:@&=+$"}) {
    char scratch[1];
    EXPECT_EQ(canonical_path(raw, scratch)->data(), raw.data()) << raw;
  }
}

TEST(PathTest, Normalises) {
  EXPECT_EQ(canonical("//"), "/");
  EXPECT_EQ(canonical("//a///b//"), "/a/b/");
  EXPECT_EQ(canonical("/."), "/");
  EXPECT_EQ(canonical("/./"), "/");
  EXPECT_EQ(canonical("/a/."), "/a/");
  EXPECT_EQ(canonical("/a/./b"), "/a/b");
  EXPECT_EQ(canonical("/a/.."), "/");
  EXPECT_EQ(canonical("/a/../"), "/");
  EXPECT_EQ(canonical("/a/../b"), "/b");
  EXPECT_EQ(canonical("/a/b/.."), "/a/");
  EXPECT_EQ(canonical("/a/b/../.."), "/");
  EXPECT_EQ(canonical("/a/b/../../"), "/");
  EXPECT_EQ(canonical("/a//../b"), "/b");
  EXPECT_EQ(canonical("/..."), "/...");
  EXPECT_EQ(canonical("/.a/..b/c."), "/.a/..b/c.");
  EXPECT_EQ(canonical("/.well-known/x"), "/.well-known/x");
}

TEST(PathTest, F02DecodesExactlyOnce) {
  EXPECT_EQ(canonical("/%61%20b"), "/a b");
  EXPECT_EQ(canonical("/%c3%a4"), "/\xc3\xa4");
  EXPECT_EQ(canonical("/%252e%252e/x"), "/%252e%252e/x");
  EXPECT_EQ(canonical("/a%2Fb"), "/a%2Fb");
  EXPECT_EQ(canonical("/a%2fb"), "/a%2Fb");
  EXPECT_EQ(canonical("/a%252Fb"), "/a%252Fb");
  EXPECT_EQ(canonical("/%3f%23%25"), "/%3F%23%25");
  EXPECT_EQ(canonical("/%3b%5c"), "/;\\");
  EXPECT_EQ(canonical("/a%0d%0ab%7f"), "/a%0D%0Ab%7F");
  EXPECT_EQ(canonical("/%2e"), "/");
  EXPECT_EQ(canonical("/%2E%2e/x"), kAbove);
  EXPECT_EQ(canonical("/a/%2e%2E/x"), "/x");
}

TEST(PathTest, Refuses) {
  for (const char* bad : {"/%", "/%2", "/%2/", "/%zz", "/%g0", "/%0g", "/a%"}) {
    EXPECT_EQ(canonical(bad), kEscape) << bad;
  }
  EXPECT_EQ(canonical("/%00"), kNul);
  EXPECT_EQ(canonical(""), to_string(PathError::kNotAbsolute));
  EXPECT_EQ(canonical("a"), to_string(PathError::kNotAbsolute));
  EXPECT_EQ(canonical("*"), to_string(PathError::kNotAbsolute));
  for (const char* bad : {"/a\x01", "/\x7f", "/a?b", "/a#b", "/a\rb", "/a\nb"}) {
    EXPECT_EQ(canonical(bad), to_string(PathError::kBadCharacter)) << bad;
  }
  EXPECT_EQ(canonical(std::string_view("/\0", 2)), to_string(PathError::kBadCharacter));
}

TEST(PathTest, F01NothingClimbs) {
  for (const char* bad : {"/..", "/../", "/../x", "/./../x", "/a/../../x", "/%2e%2e/", "/.%2e/",
                          "/%2e./", "//../", "/a/..//../x", "/a/b/../../../"}) {
    EXPECT_EQ(canonical(bad), kAbove) << bad;
  }
  for (const char* bad :
       {"/..%2f", "/..%2Fetc", "/..%5c", "/..%5cetc", "/..\\etc", "/a\\..\\b", "/a%5c..", "/a%2f..",
        "/a%2f..%2fb", "/..;/", "/..;x=1/a", "/a/..;", "/.;/a", "/.%3b/a", "/..%3b/a", "/a%2f.;b",
        "/.%2f", "/x%2f..;%2fy", "/.%5c"}) {
    EXPECT_EQ(canonical(bad), kDots) << bad;
  }
  EXPECT_EQ(canonical("/..%00/"), kNul);
  // Not dots for anybody: names that no file has.
  EXPECT_EQ(canonical("/....//"), "/..../");
  EXPECT_EQ(canonical("/%c0%ae%c0%ae/"), "/\xc0\xae\xc0\xae/");
  EXPECT_EQ(canonical("/a\\b"), "/a\\b");
  EXPECT_EQ(canonical("/a..\\b"), "/a..\\b");
  EXPECT_EQ(canonical("/a;../b"), "/a;../b");
  EXPECT_EQ(canonical("/a;.."), "/a;..");
}

// The canonical form of every short path over the bytes that matter keeps its promises.
TEST(PathTest, PromisesHoldForEveryShortPath) {
  const std::vector<std::string_view> pieces = {"/",  ".", "a",   "%2e", "%2F",
                                                "\\", ";", "%25", "%5C"};
  std::vector<std::string> paths = {"/"};
  for (std::size_t begin = 0, length = 0; length < 5; ++length) {
    const std::size_t end = paths.size();
    for (; begin < end; ++begin) {
      for (std::string_view piece : pieces) paths.push_back(paths[begin] + std::string(piece));
    }
  }
  for (const std::string& raw : paths) {
    std::vector<char> scratch(raw.size()), again(raw.size());
    const auto path = canonical_path(raw, scratch.data());
    if (!path) continue;
    ASSERT_TRUE(path->starts_with('/')) << raw;
    ASSERT_LE(path->size(), raw.size());
    ASSERT_FALSE(path->contains("//")) << raw;
    const std::string closed = std::string(*path) + "/";
    ASSERT_FALSE(closed.contains("/../") || closed.contains("/./")) << raw;
    // The canonical form of a canonical form, written as a target, is itself.
    std::string target;
    append_target_path(target, *path);
    again.resize(target.size());
    ASSERT_EQ(canonical_path(target, again.data()).value(), *path) << raw;
  }
}

TEST(PathTest, FindsWhatMattersAtEveryOffset) {
  for (std::size_t length = 1; length < 70; ++length) {
    for (std::size_t at = 1; at < length; ++at) {
      std::string path(length, 'x');
      path[0] = '/';
      ASSERT_EQ(canonical(path), path);
      path[at] = '\x01';
      ASSERT_EQ(canonical(path), to_string(PathError::kBadCharacter));
      path[at] = '%';
      ASSERT_NE(canonical(path), path);
      path[at] = '/';
      if (at == 1) {
        ASSERT_EQ(canonical(path), path.substr(1));
      } else {
        ASSERT_EQ(canonical(path), path);
      }
      if (at + 1 == length) continue;
      path[at + 1] = '/';
      ASSERT_NE(canonical(path), path);
      path[at + 1] = '.';
      ASSERT_EQ(canonical(path).contains("/./"), false);
    }
  }
}

TEST(PathTest, FilePath) {
  const auto file = [](std::string_view path) {
    std::vector<char> scratch(path.size());
    const auto result = file_path(path, scratch.data());
    return result ? std::string(*result) : "none";
  };
  EXPECT_EQ(file("/a b"), "/a b");
  EXPECT_EQ(file("/100%25%3F%0A"), "/100%?\n");
  EXPECT_EQ(file("/a%2Fb"), "none");
  EXPECT_EQ(file("/a%252Fb"), "/a%2Fb");
}

TEST(PathTest, PrefixTable) {
  struct Row {
    const char *prefix, *path, *stripped;  // nullptr: not under
  };
  for (const Row& row : std::initializer_list<Row>{{"/app", "/app", "/"},
                                                   {"/app", "/app/", "/"},
                                                   {"/app", "/app/x", "/x"},
                                                   {"/app", "/app/x/", "/x/"},
                                                   {"/app", "/apple", nullptr},
                                                   {"/app", "/ap", nullptr},
                                                   {"/app", "/", nullptr},
                                                   {"/app", "/App", nullptr},
                                                   {"/app/", "/app", nullptr},
                                                   {"/app/", "/app/", "/"},
                                                   {"/app/", "/app/x", "/x"},
                                                   {"/s", "/s../secret", nullptr},
                                                   {"/a/b", "/a/b/c", "/c"},
                                                   {"/a/b", "/a/bc", nullptr},
                                                   {"/", "/x", "/x"},
                                                   {"/", "/", "/"},
                                                   {"", "/x", "/x"},
                                                   {"", "/", "/"}}) {
    const auto stripped = strip_prefix(row.path, row.prefix);
    EXPECT_EQ(is_under(row.path, row.prefix), row.stripped != nullptr) << row.prefix << row.path;
    EXPECT_EQ(stripped.value_or("not under"), row.stripped ? row.stripped : "not under")
        << row.prefix << ' ' << row.path;
  }
}

TEST(PathTest, JoinTable) {
  struct Row {
    const char *prefix, *rest, *joined;
  };
  for (const Row& row : std::initializer_list<Row>{{"/app", "/x", "/app/x"},
                                                   {"/app/", "/x", "/app/x"},
                                                   {"/app/", "x", "/app/x"},
                                                   {"/app", "x", "/app/x"},
                                                   {"/app", "/", "/app/"},
                                                   {"/app", "", "/app"},
                                                   {"/app/", "", "/app/"},
                                                   {"/", "/x", "/x"},
                                                   {"/", "/", "/"},
                                                   {"/", "", "/"},
                                                   {"", "/x", "/x"},
                                                   {"", "", "/"}}) {
    std::string out;
    append_joined(out, row.prefix, row.rest);
    EXPECT_EQ(out, row.joined) << row.prefix << " + " << row.rest;
  }
}

TEST(PathTest, StrippedTargetKeepsTheClientsSpelling) {
  const auto stripped = [](std::string_view raw, std::string_view prefix) {
    std::vector<char> scratch(raw.size());
    std::string out;
    append_stripped_target_path(out, raw, canonical_path(raw, scratch.data()).value(), prefix);
    return out;
  };
  EXPECT_EQ(stripped("/app/x", "/app"), "/x");
  EXPECT_EQ(stripped("/app", "/app"), "/");
  EXPECT_EQ(stripped("/app/a%20b%2fc//d", "/app"), "/a%20b%2fc//d");
  EXPECT_EQ(stripped("/app/%61", "/app"), "/%61");
  EXPECT_EQ(stripped("/%61pp/a%20b%2fc", "/app"), "/a%20b%2Fc");
  EXPECT_EQ(stripped("/app/../app/x", "/app"), "/x");
  EXPECT_EQ(stripped("/app/y/../x", "/app"), "/y/../x");
  EXPECT_EQ(stripped("//app/x", "/app"), "/x");
  EXPECT_EQ(stripped("/app/a|b", "/app"), "/a|b");
}

}  // namespace
}  // namespace http
