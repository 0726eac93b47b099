// Rows S01–S23 and S28 of the attack catalogue on the parser, each input cut at every byte.
#include "http1/request_parser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "http1/test_inputs.h"

namespace http1 {
namespace {

using namespace std::string_literals;

struct Parsed {
  int status = -1;  // -1: more is needed, 0: done
  std::string reason;
  size_t head_size = 0;
  std::string summary;
  bool keep_alive = false;
};

std::string summary_of(const http::Request& r) {
  std::string text;
  auto add = [&](std::string_view part) { text.append(part) += '|'; };
  for (auto part :
       {r.method_text, r.target, r.authority, r.host, r.port, r.raw_path, r.query, r.upgrade}) {
    add(part);
  }
  text += std::to_string(static_cast<int>(r.version)) + std::to_string(r.has_query) +
          std::to_string(static_cast<int>(r.body.kind)) + ":" + std::to_string(r.body.size) +
          std::to_string(r.expects_continue);
  for (const http::Field& field : r.fields.all()) {
    text += "\n";
    text.append(field.name).append("=").append(field.value);
  }
  return text;
}

// Gives the input in pieces that end at `cuts`, each time as a whole in other memory.
Parsed parse_request(std::string_view input, std::vector<size_t> cuts,
                     const http::Limits& limits = {}, bool secure = false) {
  base::BlockPool blocks;
  base::Arena arena(blocks);
  http::Request request;
  RequestParser parser(secure);
  Parsed result;
  cuts.push_back(input.size());
  std::vector<std::unique_ptr<char[]>> memory;
  for (size_t cut : cuts) {
    memory.push_back(std::make_unique_for_overwrite<char[]>(cut + 1));
    input.copy(memory.back().get(), cut);
    ParseStatus status = parser.parse({memory.back().get(), cut}, limits, request, arena);
    if (memory.size() > 1) {  // nothing may refer to what was before
      std::fill_n(memory[memory.size() - 2].get(), cuts[memory.size() - 2], '#');
    }
    if (status == ParseStatus::need_more) continue;
    if (status == ParseStatus::error) {
      result.status = parser.error().status;
      result.reason = parser.error().reason;
    } else {
      result.status = 0;
      result.head_size = parser.head_size();
      result.summary = summary_of(request);
      result.keep_alive = parser.keep_alive();
    }
    break;
  }
  return result;
}

// The same result, however it is cut.
Parsed parse_request_all_ways(std::string_view input, const http::Limits& limits = {},
                              bool secure = false) {
  Parsed whole = parse_request(input, {}, limits, secure);
  std::vector<size_t> bytes;
  for (size_t i = 1; i < input.size(); ++i) {
    bytes.push_back(i);
    Parsed cut = parse_request(input, {i}, limits, secure);
    EXPECT_EQ(cut.status, whole.status) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.reason, whole.reason) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.summary, whole.summary) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.head_size, whole.head_size);
  }
  Parsed single = parse_request(input, bytes, limits, secure);
  EXPECT_EQ(single.status, whole.status) << "by bytes: " << input;
  EXPECT_EQ(single.reason, whole.reason) << "by bytes: " << input;
  EXPECT_EQ(single.summary, whole.summary) << "by bytes: " << input;
  return whole;
}

class Refused : public testing::TestWithParam<Row> {};

TEST_P(Refused, HoweverCut) {
  Parsed result = parse_request_all_ways(GetParam().input);
  EXPECT_EQ(result.status, GetParam().status) << GetParam().input << "\n" << result.reason;
}

INSTANTIATE_TEST_SUITE_P(Rows, Refused, testing::ValuesIn(refused_requests()),
                         [](const testing::TestParamInfo<Row>& row) {
                           return std::string(row.param.id) + "_" + std::to_string(row.index);
                         });

Parsed good(std::string_view input, bool secure = false) {
  Parsed result = parse_request_all_ways(input, {}, secure);
  EXPECT_EQ(result.status, 0) << input << "\n" << result.reason;
  return result;
}

TEST(RequestParser, FillsARequest) {
  std::string input =
      "GET /a/b?c=d HTTP/1.1\r\nhost: Example.COM:8080\r\nAccept:*/*\r\nX-Thing:  a  b \t\r\n"
      "Empty:\r\n\r\nrest";
  Parsed result = good(input);
  EXPECT_EQ(result.head_size, input.size() - 4);
  EXPECT_EQ(result.summary,
            "GET|/a/b?c=d|Example.COM:8080|example.com|8080|/a/b|c=d||110:00\n"
            "host=Example.COM:8080\nAccept=*/*\nX-Thing=a  b\nEmpty=");
  EXPECT_TRUE(result.keep_alive);
}

TEST(RequestParser, S03ABodyOfAnyMethod) {
  for (auto method : {"GET", "HEAD", "OPTIONS", "DELETE", "FROB", "TRACE"}) {
    Parsed result =
        good(head_of(std::string(method) + " / HTTP/1.1", "Transfer-Encoding: chunked\r\n"));
    EXPECT_NE(result.summary.find("02:00"), std::string::npos) << result.summary;
    result = good(head_of(std::string(method) + " / HTTP/1.1", "Content-Length: 7\r\n"));
    EXPECT_NE(result.summary.find("01:70"), std::string::npos) << result.summary;
  }
  good(post_with("Transfer-Encoding: CHUNKED\r\n"));
  good(post_with("Transfer-Encoding:  chunked \t\r\n"));
}

TEST(RequestParser, S05Expect) {
  EXPECT_NE(good(post_with("Content-Length: 5\r\nExpect: 100-CONTINUE\r\n")).summary.find("01:51"),
            std::string::npos);
  EXPECT_NE(good(get_with("Expect: 100-continue\r\n")).summary.find("00:00"), std::string::npos);
  good(head_of("POST / HTTP/1.0", "Content-Length: 5\r\nExpect: x\r\n"));
}

TEST(RequestParser, S07LeadingZeros) {
  EXPECT_NE(good(post_with("Content-Length: 0005\r\n")).summary.find("01:50"), std::string::npos);
  good(post_with("Content-Length: 9223372036854775807\r\n"));
}

TEST(RequestParser, S09S31UnderscoresAreDropped) {
  Parsed result =
      good(post_with("Transfer_Encoding: chunked\r\nContent_Length: 5\r\nX_Y: z\r\nX-Y: k\r\n"));
  EXPECT_EQ(result.summary, "POST|/|a|a||/|||100:00\nHost=a\nX-Y=k");
}

TEST(RequestParser, S15ObsTextPasses) {
  EXPECT_NE(good(get_with("X: \x80\xff\tb\r\n")).summary.find("X=\x80\xff\tb"), std::string::npos);
}

TEST(RequestParser, S16Http10NeedsNoHost) {
  Parsed result = good("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(result.summary, "GET|/||||/|||000:00");
  EXPECT_FALSE(result.keep_alive);
  EXPECT_NE(good("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").summary.find("|[::1]:80|::1|80|"),
            std::string::npos);
}

TEST(RequestParser, S17AbsoluteForm) {
  EXPECT_EQ(good(head_of("GET http://B:81/x?y HTTP/1.1", "")).summary,
            "GET|http://B:81/x?y|B:81|b|81|/x|y||110:00\nHost=B:81");
  EXPECT_EQ(good(head_of("GET http://b HTTP/1.0", "")).summary,
            "GET|http://b|b|b||/|||000:00\nHost=b");
  good(head_of("GET https://b/ HTTP/1.1", ""), true);
  EXPECT_EQ(parse_request(head_of("GET http://b/ HTTP/1.1", ""), {}, {}, true).status, 421);
}

TEST(RequestParser, S18EncodedLineEndsStayEncoded) {
  EXPECT_NE(good(head_of("GET /%0d%0aX HTTP/1.1", "")).summary.find("|/%0d%0aX|"),
            std::string::npos);
}

TEST(RequestParser, S19LeadingEmptyLines) {
  good("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  good("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(RequestParser, S20MethodsAndAsterisk) {
  good(head_of("FROB / HTTP/1.1", ""));
  good(head_of("get / HTTP/1.1", ""));
  good(head_of("M-SEARCH / HTTP/1.1", ""));
  EXPECT_NE(good(head_of("OPTIONS * HTTP/1.1", "")).summary.find("OPTIONS|*|a|a||*|"),
            std::string::npos);
  good(head_of("CONNECT a:443 HTTP/1.1", ""));
}

TEST(RequestParser, S21LaterMinorVersions) {
  EXPECT_NE(good(head_of("GET / HTTP/1.2", "")).summary.find("|100:00"), std::string::npos);
  EXPECT_TRUE(good(head_of("GET / HTTP/1.9", "")).keep_alive);
}

TEST(RequestParser, KeepAlive) {
  EXPECT_FALSE(good(get_with("Connection: close\r\n")).keep_alive);
  EXPECT_FALSE(good(get_with("Connection: foo, Close\r\n")).keep_alive);
  EXPECT_FALSE(good(get_with("Connection: keep-alive\r\nConnection: close\r\n")).keep_alive);
  EXPECT_TRUE(good(head_of("GET / HTTP/1.0", "Connection: Keep-Alive\r\n")).keep_alive);
  EXPECT_FALSE(good(head_of("GET / HTTP/1.0", "Connection: keep-alive, close\r\n")).keep_alive);
}

std::string upgrade_of(std::string_view line, std::string_view fields) {
  std::string summary = good(head_of(line, fields)).summary;
  size_t at = 0;
  for (int i = 0; i < 7; ++i) at = summary.find('|', at) + 1;
  return summary.substr(at, summary.find('|', at) - at);
}

TEST(RequestParser, S24S25Upgrade) {
  constexpr auto kGet = "GET / HTTP/1.1";
  EXPECT_EQ(upgrade_of(kGet, "Connection: Upgrade\r\nUpgrade: websocket\r\n"), "websocket");
  EXPECT_EQ(upgrade_of(kGet, "Upgrade: websocket\r\n"), "");
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\n"), "");
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\nUpgrade: foo/1, bar\r\n"), "foo/1");
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n"), "");
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\nUpgrade: h2c, websocket\r\n"), "websocket");
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\nUpgrade: a b\r\n"), "");
  EXPECT_EQ(upgrade_of("POST / HTTP/1.1", "Connection: upgrade\r\nUpgrade: websocket\r\n"), "");
  EXPECT_EQ(upgrade_of("GET / HTTP/1.0", "Connection: upgrade\r\nUpgrade: websocket\r\n"), "");
  // nghttpx CVE-2026-58055: a body would blur where the tunnel begins.
  EXPECT_EQ(upgrade_of(kGet, "Connection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n"),
            "");
}

TEST(RequestParser, S28Limits) {
  http::Limits limits;
  limits.request_line_max = 64;
  limits.field_size_max = 40;
  limits.fields_size_max = 100;
  limits.fields_max = 4;
  auto status = [&](const std::string& input) {
    return parse_request_all_ways(input, limits).status;
  };
  std::string target(64 - 4 - 11, 'a');  // "GET " and " HTTP/1.1" CRLF
  target[0] = '/';
  EXPECT_EQ(status(head_of("GET " + target + " HTTP/1.1", "")), 0);
  EXPECT_EQ(status(head_of("GET " + target + "a HTTP/1.1", "")), 414);
  EXPECT_EQ(status("GET /" + std::string(200, 'a')), 414);
  EXPECT_EQ(status(get_with("X: " + std::string(35, 'a') + "\r\n")), 0);
  EXPECT_EQ(status(get_with("X: " + std::string(36, 'a') + "\r\n")), 431);
  EXPECT_EQ(status(get_with(std::string(41, 'a'))), 431);
  EXPECT_EQ(status(get_with("X: " + std::string(200, 'a'))), 431);
  std::string line = "Y: " + std::string(35, 'b') + "\r\n";
  EXPECT_EQ(status(get_with(line + line)), 0);
  EXPECT_EQ(status(get_with(line + line + line)), 431);
  EXPECT_EQ(status(get_with("a: b\r\nc: d\r\ne: f\r\n")), 0);
  EXPECT_EQ(status(get_with("a: b\r\nc: d\r\ne: f\r\ng: h\r\n")), 431);
  EXPECT_EQ(status(get_with("a_: b\r\nc_: d\r\ne_: f\r\ng_: h\r\n")), 431);
}

TEST(RequestParser, NeedsMoreOfEveryPrefix) {
  std::string input = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
  for (size_t i = 0; i < input.size(); ++i) {
    EXPECT_EQ(parse_request(std::string_view(input).substr(0, i), {}).status, -1) << i;
  }
}

// The parser remembers the last Host; what it says of one must not depend on that.
TEST(RequestParserTest, AHostMeansTheSameAfterAnyOther) {
  const std::vector<std::string> hosts = {"a",     "a:80",       "A",       "b",
                                          "a:81",  "a:",         "ab",      "a.",
                                          "[::1]", "[::1]:8080", "1.2.3.4", std::string(60, 'h')};
  auto read = [](RequestParser& parser, const std::string& host) {
    base::BlockPool blocks;
    base::Arena arena(blocks);
    http::Request request;
    const std::string text = "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
    parser.reset();
    EXPECT_EQ(parser.parse(text, {}, request, arena), ParseStatus::done) << host;
    return summary_of(request);
  };
  for (const std::string& first : hosts) {
    for (const std::string& second : hosts) {
      RequestParser used, fresh;
      const std::string expected = read(fresh, second);
      read(used, first);
      EXPECT_EQ(read(used, second), expected) << first << " " << second;
      EXPECT_EQ(read(used, second), expected) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace http1
