#include "http/syntax.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http {
namespace {

using Strings = std::vector<std::string>;

Strings elements(std::string_view list) {
  Strings result;
  while (auto element = next_element(list)) result.emplace_back(*element);
  return result;
}

Strings parameters(std::string_view text) {
  Strings result;
  while (auto p = next_parameter(text)) {
    result.push_back(std::string(p->name) + (p->quoted ? "=q:" : "=") + std::string(p->value));
  }
  if (!text.empty()) result.push_back("left " + std::string(text));
  return result;
}

TEST(SyntaxTest, Tokens) {
  EXPECT_TRUE(is_token("a!#$%&'*+-.^_`|~9Z"));
  for (const char* bad :
       {"", "a b", "a:b", "a/b", "a,b", "a\"", "a(", "\xc3\xa4", "a\x7f", "[a]"}) {
    EXPECT_FALSE(is_token(bad)) << bad;
  }
}

TEST(SyntaxTest, Elements) {
  EXPECT_EQ(elements(""), Strings{});
  EXPECT_EQ(elements(" , ,,"), Strings{});
  EXPECT_EQ(elements(" a ,, b"), (Strings{"a", "b"}));
  EXPECT_EQ(elements("a=\"x,y\", b"), (Strings{"a=\"x,y\"", "b"}));
  EXPECT_EQ(elements("a=\"x\\\",y\", b"), (Strings{"a=\"x\\\",y\"", "b"}));
  EXPECT_EQ(elements("a=\"x, b"), (Strings{"a=\"x, b"}));
  EXPECT_EQ(elements("a=\"x\\"), (Strings{"a=\"x\\"}));
}

TEST(SyntaxTest, Parameters) {
  EXPECT_EQ(parameters(""), Strings{});
  EXPECT_EQ(parameters(";q=0.5; Charset=utf-8 ;x"), (Strings{"q=0.5", "Charset=utf-8", "x="}));
  EXPECT_EQ(parameters(";a=\"x;\\\"y\" ;;b="), (Strings{"a=q:x;\\\"y", "b="}));
  EXPECT_EQ(parameters(" ; a=\"\""), (Strings{"a=q:"}));
  EXPECT_EQ(parameters(";"), Strings{});
  EXPECT_EQ(parameters("; "), Strings{});
  EXPECT_EQ(parameters(";a=\"x"), (Strings{"left ;a=\"x"}));
  EXPECT_EQ(parameters(";a=\""), (Strings{"left ;a=\""}));
  EXPECT_EQ(parameters(";a=b c"), (Strings{"left ;a=b c"}));
  EXPECT_EQ(parameters(";=b"), (Strings{"left ;=b"}));
  EXPECT_EQ(parameters("x"), (Strings{"left x"}));
  std::string out;
  append_unquoted(out, "a\\\"b\\\\c\\");
  EXPECT_EQ(out, "a\"b\\c\\");
}

TEST(SyntaxTest, Weights) {
  EXPECT_EQ(parse_weight("1"), 1000);
  EXPECT_EQ(parse_weight("1."), 1000);
  EXPECT_EQ(parse_weight("1.000"), 1000);
  EXPECT_EQ(parse_weight("0"), 0);
  EXPECT_EQ(parse_weight("0."), 0);
  EXPECT_EQ(parse_weight("0.5"), 500);
  EXPECT_EQ(parse_weight("0.123"), 123);
  for (const char* bad :
       {"", "2", "1.001", "0.1234", "0,5", "-1", ".5", "01", "1e0", "0.x", " 1"}) {
    EXPECT_EQ(parse_weight(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace http
