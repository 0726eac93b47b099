#include "http/etag.h"

#include <gtest/gtest.h>

namespace http {
namespace {

TEST(EtagTest, Parses) {
  EXPECT_EQ(parse_entity_tag("\"abc\"")->opaque, "\"abc\"");
  EXPECT_FALSE(parse_entity_tag("\"abc\"")->weak);
  EXPECT_TRUE(parse_entity_tag(" W/\"abc\" ")->weak);
  EXPECT_EQ(parse_entity_tag("\"\"")->opaque, "\"\"");
  EXPECT_EQ(parse_entity_tag("\"a,b\\!\xff\"")->opaque, "\"a,b\\!\xff\"");
  for (const char* bad :
       {"", "abc", "\"", "\"abc", "abc\"", "w/\"abc\"", "W/abc", "W\"abc\"", "\"a b\"", "\"a\"b",
        "\"a\",\"b\"", "'a'", "*", "\"a\x7f\"", "\"a\x01\""}) {
    EXPECT_FALSE(parse_entity_tag(bad)) << bad;
  }
}

// The table of RFC 9110 8.8.3.2.
TEST(EtagTest, Compares) {
  const EntityTag weak1{"\"1\"", true}, weak2{"\"2\"", true}, strong1{"\"1\"", false};
  EXPECT_FALSE(equal_strongly(weak1, weak1));
  EXPECT_TRUE(equal_weakly(weak1, weak1));
  EXPECT_FALSE(equal_weakly(weak1, weak2));
  EXPECT_FALSE(equal_strongly(weak1, strong1));
  EXPECT_TRUE(equal_weakly(weak1, strong1));
  EXPECT_TRUE(equal_strongly(strong1, strong1));
}

TEST(EtagTest, Lists) {
  const EntityTag tag{"\"b\"", false};
  const auto has = [&](std::string_view list, TagComparison comparison = TagComparison::kWeak) {
    return tag_list_contains(list, tag, comparison);
  };
  EXPECT_TRUE(has("\"b\""));
  EXPECT_TRUE(has("\"a\" , \"b\""));
  EXPECT_TRUE(has("\"a\",,W/\"b\","));
  EXPECT_FALSE(has("\"a\",W/\"b\"", TagComparison::kStrong));
  EXPECT_TRUE(has("W/\"b\", \"b\"", TagComparison::kStrong));
  EXPECT_TRUE(has("a, \"b\""));
  EXPECT_FALSE(has("b"));
  EXPECT_FALSE(has("\"a,b\""));
  EXPECT_FALSE(has("\"x, \"b\"y"));
  EXPECT_FALSE(has("\"b\"x"));
  EXPECT_FALSE(has(""));
  EXPECT_FALSE(has("*"));
}

TEST(EtagTest, FileTags) {
  std::string out;
  append_file_tag(out, 0x1234, 0xab);
  EXPECT_EQ(out, "\"1234-ab\"");
  out.clear();
  append_file_tag(out, -1, ~0ull, "identity");
  EXPECT_EQ(out, "\"ffffffffffffffff-ffffffffffffffff-identity\"");
  EXPECT_LE(out.size(), kFileTagSizeMax);
  EXPECT_TRUE(parse_entity_tag(out));
}

}  // namespace
}  // namespace http
