#include "base/escape.h"

#include <gtest/gtest.h>

#include <string>

namespace base {
namespace {

using namespace std::string_view_literals;

template <typename Escaper>
std::string escaped(Escaper escaper, std::string_view text) {
  std::string out = "<";
  escaper(out, text);
  return out.substr(1);
}

std::string all_bytes() {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  return all;
}

TEST(EscapeTest, Json) {
  EXPECT_EQ(escaped(append_json, "plain"), "plain");
  EXPECT_EQ(escaped(append_json, "a\"b\\c\n\r\t\x1b[0m\x7f\0"sv),
            R"(a\"b\\c\n\r\t\u001b[0m\u007f\u0000)");
  EXPECT_EQ(escaped(append_json, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(escaped(append_json,
                    "\xc2\x9b"
                    "1m"),
            "\\u009b1m");  // CSI of C1
  EXPECT_EQ(escaped(append_json_string, "x"), "\"x\"");
}

TEST(EscapeTest, D07JsonOfAnyBytesIsUtf8) {
  // Stray, cut, overlong, surrogate, too large.
  EXPECT_EQ(escaped(append_json, "\x80"), "\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xc3"), "\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xc3\""), "\\ufffd\\\"");
  EXPECT_EQ(escaped(append_json, "\xc0\xae"), "\\ufffd\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xe0\x80\xaf"), "\\ufffd\\ufffd\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xed\xa0\x80"), "\\ufffd\\ufffd\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xf4\x90\x80\x80"), "\\ufffd\\ufffd\\ufffd\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xe2\x82"), "\\ufffd\\ufffd");
  EXPECT_EQ(escaped(append_json, "\xf0\x9f\x98"), "\\ufffd\\ufffd\\ufffd");
}

TEST(EscapeTest, Html) {
  EXPECT_EQ(escaped(append_html, "<a href=\"x\">'&'</a>"),
            "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
}

TEST(EscapeTest, Urls) {
  EXPECT_EQ(escaped(append_url_component, "a b/c?d&e=f%20\xc3\xa4~"),
            "a%20b%2Fc%3Fd%26e%3Df%2520%C3%A4~");
  EXPECT_EQ(escaped(append_url_path, "/a b;c=1/%2F%zz%/?x#y\"<>"),
            "/a%20b;c=1/%2F%25zz%25/%3Fx%23y%22%3C%3E");
  EXPECT_EQ(escaped(append_url, "https://[::1]/a b?q=1&r=%0d%0a\r\n"),
            "https://[::1]/a%20b?q=1&r=%0d%0a%0D%0A");
  for (auto* escaper : {append_url_component, append_url_path, append_url}) {
    for (char c : escaped(escaper, all_bytes())) {
      EXPECT_TRUE(c > ' ' && c < 0x7f && c != '"' && c != '<' && c != '>' && c != '#' && c != '\\');
    }
  }
}

TEST(EscapeTest, D07Log) {
  EXPECT_EQ(escaped(append_log, "GET /\"\\\r\n\x1b[31m\xff\x7f"),
            R"(GET /\x22\x5C\x0D\x0A\x1B[31m\xFF\x7F)");
  for (char c : escaped(append_log, all_bytes())) EXPECT_TRUE(c >= ' ' && c < 0x7f && c != '"');
}

TEST(EscapeTest, S32FieldValue) {
  EXPECT_EQ(escaped(append_field_value, "a\r\nSet-Cookie: x\0\x1b\tb\xc3\xa4"sv),
            "aSet-Cookie: x\tb\xc3\xa4");
  EXPECT_TRUE(has_field_controls("a\n"));
  EXPECT_TRUE(has_field_controls("\0"sv));
  EXPECT_FALSE(has_field_controls("a\tb\xff"));
}

TEST(EscapeTest, F02DecodesExactlyOnce) {
  std::string out;
  EXPECT_TRUE(append_percent_decoded(out, "a%20b%252e+%c3%A4"));
  EXPECT_EQ(out, "a b%2e+\xc3\xa4");
  for (const char* bad : {"%", "%2", "%zz", "a%g0", "%%20"}) {
    out.clear();
    EXPECT_FALSE(append_percent_decoded(out, bad)) << bad;
  }
}

TEST(EscapeTest, UrlComponentDecodesBack) {
  std::string out;
  ASSERT_TRUE(append_percent_decoded(out, escaped(append_url_component, all_bytes())));
  EXPECT_EQ(out, all_bytes());
}

}  // namespace
}  // namespace base
