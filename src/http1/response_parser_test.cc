// P07, P09 and T08's ground on the parser, each input cut at every byte.
#include "http1/response_parser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace http1 {
namespace {

using namespace std::string_literals;

constexpr FieldLimits kResponseLimits{4096, 4096, 50};

// status and fields and how the body ends; or "more", or "error STATUS: REASON".
std::string parse_response(std::string_view input, const std::vector<size_t>& given,
                           http::Method method, const FieldLimits& limits) {
  http::Response response;
  ResponseParser parser;
  std::vector<size_t> cuts = given;
  cuts.push_back(input.size());
  std::vector<std::string> memory;
  memory.reserve(cuts.size());
  for (size_t cut : cuts) {
    memory.emplace_back(input.substr(0, cut));
    ParseStatus status = parser.parse(memory.back(), limits, method, response);
    if (memory.size() > 1) memory[memory.size() - 2].assign(memory[memory.size() - 2].size(), '#');
    if (status == ParseStatus::error) {
      return "error " + std::to_string(parser.error().status) + ": " +
             std::string(parser.error().reason);
    }
    if (status == ParseStatus::need_more) continue;
    auto length = [](http::BodyLength body) {
      constexpr const char* kNames[] = {"none", "known", "chunked", "close"};
      std::string text = kNames[static_cast<int>(body.kind)];
      return body.kind == http::BodyKind::known ? text + std::to_string(body.size) : text;
    };
    std::string text = std::to_string(response.status) + " " + length(parser.framing()) + "/" +
                       length(response.body) + (parser.keep_alive() ? " keep" : " close");
    for (const http::Field& field : response.fields.all()) {
      text.append(" ").append(field.name).append("=").append(field.value);
    }
    return text + " +" + std::to_string(parser.head_size());
  }
  return "more";
}

std::string parse_response(std::string_view input, http::Method method = http::Method::get,
                           const FieldLimits& limits = kResponseLimits) {
  std::string whole = parse_response(input, {}, method, limits);
  std::vector<size_t> bytes;
  for (size_t i = 1; i < input.size(); ++i) {
    EXPECT_EQ(parse_response(input, {i}, method, limits), whole) << "cut at " << i << ": " << input;
    bytes.push_back(i);
  }
  EXPECT_EQ(parse_response(input, bytes, method, limits), whole) << "by bytes: " << input;
  // The reason, too, is the same however it is cut; which one it is matters to nobody.
  return whole.starts_with("error") ? whole.substr(0, whole.find(':')) : whole;
}

TEST(ResponseParser, Heads) {
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello"),
            "200 known5/known5 keep X=y +44");
  EXPECT_EQ(parse_response("HTTP/1.1 200 \r\n\r\n"), "200 close/close close +17");
  EXPECT_EQ(parse_response("HTTP/1.1 200\r\n\r\n"), "200 close/close close +16");
  EXPECT_EQ(parse_response("HTTP/1.1 200 \x80 a\tb\r\nContent-Length: 0\r\n\r\n"),
            "200 known0/known0 keep +41");
  EXPECT_EQ(parse_response("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n"),
            "200 known5/known5 close +38");
  EXPECT_EQ(
      parse_response("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n"),
      "200 known5/known5 keep Connection=keep-alive +62");
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"),
            "200 chunked/chunked keep +47");
  EXPECT_EQ(parse_response("HTTP/1.2 404 No\r\nContent-Length: 1\r\nConnection: close\r\n\r\n"),
            "404 known1/known1 close Connection=close +57");
  EXPECT_EQ(parse_response("HTTP/1.1 100 Continue\r\n\r\n"), "100 none/none keep +25");
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nx_y: z\r\nContent-Length: 0\r\n\r\n"),
            "200 known0/known0 keep x_y=z +46");
}

TEST(ResponseParser, P07BothLengths) {
  // Transfer-Encoding wins, Content-Length goes, the connection is not used again (RFC 9112 6.3).
  EXPECT_EQ(
      parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
      "200 chunked/chunked close +66");
  // Equal ones are one (RFC 9112 6.3).
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n"),
            "200 known5/known5 keep +57");
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5, 05\r\n\r\n"),
            "200 known5/known5 keep +42");
}

TEST(ResponseParser, P09WithoutABody) {
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", http::Method::head),
            "200 none/known5 keep +38");
  EXPECT_EQ(
      parse_response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", http::Method::head),
      "200 none/chunked keep +47");
  EXPECT_EQ(parse_response("HTTP/1.1 200 OK\r\n\r\n", http::Method::head),
            "200 none/none keep +19");
  EXPECT_EQ(parse_response("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
            "304 none/known5 keep +48");
  EXPECT_EQ(parse_response("HTTP/1.1 304 Not Modified\r\n\r\n"), "304 none/none keep +29");
  EXPECT_EQ(parse_response("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"),
            "204 none/none keep +46");
  EXPECT_EQ(parse_response("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "204 none/none keep +55");
}

TEST(ResponseParser, P07Malformed) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (std::string input : {"HTTP/0.9 200 OK\r\n\r\n"s,
                            "HTTP/2 200\r\n\r\n"s,
                            "HTTP/2.0 200 OK\r\n\r\n"s,
                            "<html>hello</html>"s,
                            "http/1.1 200 OK\r\n\r\n"s,
                            "HTTP/1.1  200 OK\r\n\r\n"s,
                            "HTTP/1.1 20 OK\r\n\r\n"s,
                            "HTTP/1.1 2000 OK\r\n\r\n"s,
                            "HTTP/1.1 099 OK\r\n\r\n"s,
                            "HTTP/1.1 600 OK\r\n\r\n"s,
                            "HTTP/1.1 2x0 OK\r\n\r\n"s,
                            "HTTP/1.1 -20 OK\r\n\r\n"s,
                            "HTTP/1.1 200OK\r\n\r\n"s,
                            "HTTP/1.1\r\n\r\n"s,
                            "HTTP/1.1 200 OK\n\n"s,
                            "HTTP/1.1 200 OK\r\r\n"s,
                            "HTTP/1.1 200 O\0K\r\n\r\n"s,
                            "HTTP/1.1 200 O\rK\r\n\r\n"s,
                            "\r\nHTTP/1.1 200 OK\r\n\r\n"s,
                            "ICY 200 OK\r\n\r\n"s,
                            "\x15\x03\x01"s,
                            ok + "X : y\r\n\r\n",
                            ok + " X: y\r\n\r\n",
                            ok + "X: y\r\n z\r\n\r\n",
                            ok + "X: y\n\r\n",
                            ok + "X: y\rz\r\n\r\n",
                            ok + "X: y\0z\r\n\r\n"s,
                            ok + "X: y" + '\0' + "z\r\n\r\n",
                            ok + "X\r\n\r\n",
                            ok + ": y\r\n\r\n",
                            ok + "X(: y\r\n\r\n",
                            ok + "X: y\r\n\rZ",
                            ok + "\n",
                            ok + "Content-Length: x\r\n\r\n",
                            ok + "Content-Length:\r\n\r\n",
                            ok + "Content-Length: -1\r\n\r\n",
                            ok + "Content-Length: 5, 6\r\n\r\n",
                            ok + "Content-Length: 5,\r\n\r\n",
                            ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                            ok + "Content-Length: 99999999999999999999\r\n\r\n",
                            ok + "Transfer-Encoding: gzip\r\n\r\n",
                            ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                            ok + "Transfer-Encoding: identity\r\n\r\n",
                            ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                            ok + "Transfer-Encoding:\r\n\r\n",
                            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"s}) {
    // Of a line with NUL in a literal, the rest is cut off by the literal: both are refused.
    std::string result = parse_response(input);
    EXPECT_TRUE(result.starts_with("error 4") || result.starts_with("error 502"))
        << input << result;
  }
}

TEST(ResponseParser, P07GiantHeads) {
  const FieldLimits limits{100, 300, 5};
  auto parse_limited = [&](const std::string& input) {
    return parse_response(input, http::Method::get, limits);
  };
  EXPECT_EQ(parse_limited("HTTP/1.1 200 " + std::string(200, 'a')), "error 431");
  EXPECT_EQ(parse_limited("HTTP/1.1 200 OK\r\nX: " + std::string(200, 'a')), "error 431");
  std::string line = "X: " + std::string(80, 'a') + "\r\n";
  EXPECT_EQ(parse_limited("HTTP/1.1 200 OK\r\n" + line + line + line + line), "error 431");
  std::string many;
  for (int i = 0; i < 6; ++i) many += "a: b\r\n";
  EXPECT_EQ(parse_limited("HTTP/1.1 200 OK\r\n" + many + "\r\n"), "error 431");
}

}  // namespace
}  // namespace http1
