#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace base {
namespace {

TEST(TextTest, IequalsAtEveryLengthAndByte) {
  for (std::size_t n = 0; n < 40; ++n) {
    for (int c = 0; c < 256; ++c) {
      for (std::size_t at = 0; at < n; ++at) {
        std::string a(n, 'x'), b(n, 'X');
        a[at] = static_cast<char>(c);
        b[at] = static_cast<char>(c ^ 0x20);
        EXPECT_EQ(iequals(a, b), is_alpha(static_cast<char>(c))) << n << ' ' << c << ' ' << at;
        b[at] = a[at];
        EXPECT_TRUE(iequals(a, b));
      }
    }
  }
  EXPECT_FALSE(iequals("a", "aa"));
}

TEST(TextTest, LowerLeavesOtherBytes) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const std::string result = lower(all);
  for (int c = 0; c < 256; ++c) {
    EXPECT_EQ(result[static_cast<std::size_t>(c)], to_lower(static_cast<char>(c)));
  }
  EXPECT_TRUE(has_upper("abC"));
  EXPECT_FALSE(has_upper("abc-\xc3"));
}

std::vector<std::string> pieces(std::string_view text) {
  std::vector<std::string> result;
  while (auto piece = next_piece(text, ',')) result.emplace_back(*piece);
  return result;
}

TEST(TextTest, Pieces) {
  using Strings = std::vector<std::string>;
  EXPECT_EQ(pieces(""), Strings{});
  EXPECT_EQ(pieces("a"), Strings{"a"});
  EXPECT_EQ(pieces(" a ,\tb"), (Strings{"a", "b"}));
  EXPECT_EQ(pieces("a,"), Strings{"a"});
  EXPECT_EQ(pieces(",a"), (Strings{"", "a"}));
  EXPECT_EQ(pieces("a,,b"), (Strings{"a", "", "b"}));
  EXPECT_EQ(pieces(" "), (Strings{""}));
  EXPECT_TRUE(list_contains("keep-alive, Upgrade", "upgrade"));
  EXPECT_FALSE(list_contains("keep-alive, Upgrades", "upgrade"));
  EXPECT_FALSE(list_contains("", "upgrade"));
}

TEST(TextTest, S07StrictNumbers) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("007"), 7u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), 18446744073709551615u);
  for (const char* bad : {"", "+5", "-1", "-0", "0x5", "5_0", "0b1", "1e1", "5 5", "1Z", " 1", "1 ",
                          "18446744073709551616", "18446744073709551621", "99999999999999999999",
                          "184467440737095516150"}) {
    EXPECT_EQ(parse_decimal(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(parse_hex("fF"), 255u);
  EXPECT_EQ(parse_hex("00000000000000000000ff"), 255u);
  EXPECT_EQ(parse_hex("ffffffffffffffff"), 18446744073709551615u);
  for (const char* bad : {"", "0x5", "10000000000000000", "g", "+5", "5 ", "_5"}) {
    EXPECT_EQ(parse_hex(bad), std::nullopt) << bad;
  }
}

TEST(TextTest, WritesNumbers) {
  std::string out;
  append_decimal(out, 0);
  append_decimal(out, 18446744073709551615u);
  append_hex(out, 0xabc);
  EXPECT_EQ(out, "018446744073709551615abc");
}

TEST(TextTest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("hsot", "host"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);
}

TEST(TextTest, Closest) {
  const std::vector<std::string_view> names = {"host", "listeners", "routes", "tls", "proxy"};
  EXPECT_EQ(closest("hsot", names), "host");
  EXPECT_EQ(closest("listener", names), "listeners");
  EXPECT_EQ(closest("Routes", names), "routes");
  EXPECT_EQ(closest("ssl", names), "");
  EXPECT_EQ(closest("x", names), "");
  EXPECT_EQ(closest("", names), "");
  EXPECT_EQ(closest(std::string(10000, 'h'), names), "");
}

}  // namespace
}  // namespace base
