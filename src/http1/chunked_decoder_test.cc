// S10–S13 and S27 on the decoder, each input cut at every byte.
#include "http1/chunked_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http1 {
namespace {

using namespace std::string_literals;

// The content, "|", trailers, "+", what is behind; or "more CONTENT", "error".
std::string decode(std::string_view input, const std::vector<size_t>& given) {
  ChunkedDecoder decoder;
  http::Fields trailers;
  std::string content;
  std::string kept;  // not consumed
  size_t fed = 0;
  std::vector<size_t> cuts = given;
  cuts.push_back(input.size());
  for (size_t cut : cuts) {
    std::string memory = kept + std::string(input.substr(fed, cut - fed));
    fed = cut;
    std::string_view rest = memory;
    for (;;) {
      auto [status, consumed, size] = decoder.step(rest, trailers);
      rest.remove_prefix(consumed);
      if (status == ChunkedDecoder::Status::error) return "error";
      if (status == ChunkedDecoder::Status::done) {
        std::string text = content + "|";
        for (const http::Field& field : trailers.all()) {
          text.append(field.name).append("=").append(field.value).append(";");
        }
        return text + "+" + std::string(rest) + std::string(input.substr(fed));
      }
      if (status == ChunkedDecoder::Status::need_more) break;
      // Half of what there is, to see that data may be taken in parts.
      size_t half = (size + 1) / 2;
      content += rest.substr(0, half);
      decoder.advance(half);
      rest.remove_prefix(half);
    }
    kept = std::string(rest);
  }
  return "more " + content;
}

std::string decode(std::string_view input) {
  std::string whole = decode(input, {});
  std::vector<size_t> bytes;
  for (size_t i = 1; i < input.size(); ++i) {
    EXPECT_EQ(decode(input, {i}), whole) << "cut at " << i << ": " << input;
    bytes.push_back(i);
  }
  EXPECT_EQ(decode(input, bytes), whole) << "by bytes: " << input;
  return whole;
}

TEST(ChunkedDecoder, Bodies) {
  EXPECT_EQ(decode("0\r\n\r\n"), "|+");
  EXPECT_EQ(decode("5\r\nhello\r\n0\r\n\r\nrest"), "hello|+rest");
  EXPECT_EQ(decode("a\r\n0123456789\r\n1\r\n!\r\n0\r\n\r\n"), "0123456789!|+");
  EXPECT_EQ(decode("A\r\n0123456789\r\n000\r\n\r\n"), "0123456789|+");
  EXPECT_EQ(decode("0000000000000005\r\nhello\r\n0\r\n\r\n"), "hello|+");
  EXPECT_EQ(decode("5\r\nhel"), "more hel");
  EXPECT_EQ(decode(""), "more ");
}

TEST(ChunkedDecoder, S10Sizes) {
  for (auto size :
       {"0x5", "+5", "-5", "_5", " 5", "5 ", "5\t", "", "g", "5h", "00000000000000005",
        "10000000000000005", "8000000000000000", "ffffffffffffffff", "5_0", "5,", "\"5\"", "5.0"}) {
    EXPECT_EQ(decode(std::string(size) + "\r\nhello\r\n0\r\n\r\n"), "error") << size;
  }
  EXPECT_EQ(decode("7fffffffffffffff\r\nx"), "more x");
}

TEST(ChunkedDecoder, S10Ends) {
  for (auto input :
       {"5\r\nhello!\r\n0\r\n\r\n", "5\r\nhelloX", "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
        "0\r\nX\r\n\r\n", "0\r\nGET / HTTP/1.1\r\n", "4\r\nhello\r\n0\r\n\r\n"}) {
    EXPECT_EQ(decode(input), "error") << input;
  }
}

TEST(ChunkedDecoder, S11ExtensionsAreDropped) {
  for (auto extension : {";a", ";a=b", ";a=\"b\"", ";a=\"b;\\\"c\"", ";a;b=c;d=\"e\"", " ;a",
                         "\t; a = b", ";a=\"\"", ";a=\"\x80\t\"", ";a =b"}) {
    EXPECT_EQ(decode("5"s + extension + "\r\nhello\r\n0"s + extension + "\r\n\r\n"), "hello|+")
        << extension;
  }
}

TEST(ChunkedDecoder, S11BadExtensions) {
  for (auto extension :
       {";"s,           ";;a"s,       ";a;"s,         ";=b"s,     ";a="s,   ";a=b c"s,
        ";a=\"b"s,      ";a=\"b\"c"s, ";a\0"s,        ";a=\0"s,   ";a\rb"s, ";a\nb"s,
        ";a=\"\r\n\""s, ";a=\"\n\""s, ";a=\"\\\r\""s, ";a b"s,    ";a=b "s, ";a "s,
        ";a=\"b\" "s,   ";\x7f"s,     ";(a)"s,        ";a=\x80"s, " "s,     ";a=\"\x01\""s}) {
    EXPECT_EQ(decode("5" + extension + "\r\nhello\r\n0\r\n\r\n"), "error") << extension;
  }
  // A reader of bare LF would see another end here.
  EXPECT_EQ(decode("2;\nxx\r\n0\r\n\r\n"), "error");
  EXPECT_EQ(decode("2;a\n\r\nxx\r\n0\r\n\r\n"), "error");
}

TEST(ChunkedDecoder, S11ExtensionsAreCapped) {
  EXPECT_EQ(
      decode("1;" + std::string(ChunkedDecoder::kExtensionsMax, 'a') + "\r\nx\r\n0\r\n\r\n", {}),
      "error");
  std::string chunk = "1;" + std::string(998, 'a') + "\r\nx\r\n";
  std::string body;
  for (int i = 0; i < 16; ++i) body += chunk;
  EXPECT_EQ(decode(body + "0\r\n\r\n", {}), std::string(16, 'x') + "|+");
  EXPECT_EQ(decode(body + chunk + "0\r\n\r\n", {}), "error");
}

TEST(ChunkedDecoder, S11TinyChunksAreCapped) {
  std::string body;
  for (int i = 0; i < 60'000; ++i) body += "1\r\nx\r\n";
  EXPECT_EQ(decode(body + "0\r\n\r\n", {}), std::string(60'000, 'x') + "|+");
  for (int i = 0; i < 10'000; ++i) body += "1\r\nx\r\n";
  EXPECT_EQ(decode(body + "0\r\n\r\n", {}), "error");
  // Larger ones pay for their framing.
  body.clear();
  for (int i = 0; i < 200'000; ++i) body += "2\r\nxy\r\n";
  EXPECT_EQ(decode(body + "0\r\n\r\n", {}).size(), 400'002u);
}

TEST(ChunkedDecoder, S12S13LineEnds) {
  for (auto input : {"5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n",
                     "5\r\nhello\r\n0\r\n\n", "5\rhello\r\n0\r\n\r\n", "5\r\nhello\r0\r\n\r\n",
                     "5\r\nhello\r\n0\r\n\rX", "5\r\r\nhello", "5\r\nhello\r\n0\r\nA: b\n\r\n"}) {
    EXPECT_EQ(decode(input), "error") << input;
  }
}

TEST(ChunkedDecoder, S27Trailers) {
  EXPECT_EQ(decode("1\r\nx\r\n0\r\nA: b\r\nC:d\r\n\r\n+"), "x|A=b;C=d;++");
  EXPECT_EQ(
      decode(
          "0\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\nHost: x\r\nTrailer: y\r\n"
          "Authorization: z\r\nCookie: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Prefix: /\r\n"
          "Forwarded: for=1\r\nConnection: close\r\nContent-Type: a/b\r\nX_Y: 1\r\nEtag: \"e\"\r\n"
          "Expect: 100-continue\r\nUpgrade: h2c\r\nX-Real-IP: 1\r\nClient-Cert: x\r\nKept: "
          "yes\r\n\r\n"),
      "|Etag=\"e\";Kept=yes;+");
  for (auto line : {"A\r\n", "A : b\r\n", " A: b\r\n", "A: b\r\n c\r\n", "A(: b\r\n", ": b\r\n",
                    "A: b\x01\r\n"}) {
    EXPECT_EQ(decode("0\r\n"s + line + "\r\n"), "error") << line;
  }
  EXPECT_EQ(decode("0\r\nA: " + std::string(9000, 'a') + "\r\n\r\n", {}), "error");
  std::string many = "0\r\n";
  for (int i = 0; i < 65; ++i) many += "a: b\r\n";
  EXPECT_EQ(decode(many + "\r\n", {}), "error");
  std::string large = "0\r\n";
  for (int i = 0; i < 3; ++i) large += "a: " + std::string(7000, 'a') + "\r\n";
  EXPECT_EQ(decode(large + "\r\n", {}), "error");
}

}  // namespace
}  // namespace http1
