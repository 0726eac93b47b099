// Rows S01–S23 and S28 of the attack catalogue on the parser, each input cut at every byte.
#include "http1/request_parser.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

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
Parsed parse(std::string_view input, std::vector<size_t> cuts, const http::Limits& limits = {},
             bool secure = false) {
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
Parsed parse_all_ways(std::string_view input, const http::Limits& limits = {},
                      bool secure = false) {
  Parsed whole = parse(input, {}, limits, secure);
  std::vector<size_t> bytes;
  for (size_t i = 1; i < input.size(); ++i) {
    bytes.push_back(i);
    Parsed cut = parse(input, {i}, limits, secure);
    EXPECT_EQ(cut.status, whole.status) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.reason, whole.reason) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.summary, whole.summary) << "cut at " << i << ": " << input;
    EXPECT_EQ(cut.head_size, whole.head_size);
  }
  Parsed single = parse(input, bytes, limits, secure);
  EXPECT_EQ(single.status, whole.status) << "by bytes: " << input;
  EXPECT_EQ(single.reason, whole.reason) << "by bytes: " << input;
  EXPECT_EQ(single.summary, whole.summary) << "by bytes: " << input;
  return whole;
}

std::string head(std::string_view line, std::string_view fields) {
  return std::string(line) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}
std::string get(std::string_view fields) { return head("GET / HTTP/1.1", fields); }
std::string post(std::string_view fields) { return head("POST / HTTP/1.1", fields); }

struct Row {
  const char* id;
  std::string input;
  int status;
};

class Refused : public testing::TestWithParam<Row> {};

TEST_P(Refused, HoweverCut) {
  Parsed result = parse_all_ways(GetParam().input);
  EXPECT_EQ(result.status, GetParam().status) << GetParam().input << "\n" << result.reason;
}

std::vector<Row> refused_rows() {
  std::vector<Row> rows;
  auto add = [&](const char* id, std::string input, int status = 400) {
    rows.push_back({id, std::move(input), status});
  };
  // S01
  add("S01", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"));
  add("S01", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"));
  add("S01", post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"));
  // S02
  add("S02", head("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"));
  add("S02", head("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"));
  // S05
  for (auto value : {"x 100-continue", "100-continue, x", "100-Continuee", "200-ok", ""}) {
    add("S05", post("Content-Length: 5\r\nExpect: "s + value + "\r\n"), 417);
  }
  add("S05", post("Content-Length: 5\r\nExpect: 100-continue\r\nExpect: x\r\n"), 417);
  add("S05", get("Expect: x\r\n"), 417);
  // S06
  add("S06", post("Content-Length: 5\r\nContent-Length: 6\r\n"));
  add("S06", post("Content-Length: 5\r\nContent-Length: 5\r\n"));
  add("S06", post("Content-Length: 5, 5\r\n"));
  add("S06", post("Content-Length:\r\nContent-Length: 5\r\n"));
  add("S06", post("Content-Length: 5\r\nContent-Length:\r\n"));
  // S07
  for (auto value : {"+5", "-1", "-0", "0x5", "5_0", "0b1", "1e1", "5 5", "1Z", "", "5;", "\"5\"",
                     "9223372036854775808", "18446744073709551621", "99999999999999999999999"}) {
    add("S07", post("Content-Length: "s + value + "\r\n"));
  }
  // S08
  for (auto value : {"identity"s,  "xchunked"s,          "chunked;q=1"s,       ",chunked"s,
                     "chunked,"s,  "chunked, chunked"s,  "chunked, identity"s, ""s,
                     "chunked\0"s, "\0chunked"s,         "chunked\v"s,         "\vchunked"s,
                     "chunked\f"s, "\x85"s + " chunked", "\x85"s + "chunked",  "chunked\xa0"s,
                     "chunke"s,    "chunked chunked"s,   "\"chunked\""s,       "chunked\x7f"s,
                     "gzip"s,      "chunked, gzip"s,     "gzip;q=1, chunked"s}) {
    add("S08", post("Transfer-Encoding: " + value + "\r\n"));
  }
  add("S08", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"));
  add("S08", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"));
  add("S08", post("Transfer-Encoding:\r\n chunked\r\n"));
  add("S08", post("Transfer-Encoding: gzip, chunked\r\n"), 501);
  add("S08", post("Transfer-Encoding: identity, chunked\r\n"), 501);
  // S09
  add("S09", post("Transfer-Encoding : chunked\r\n"));
  add("S09", post("Transfer-Encoding\t: chunked\r\n"));
  add("S09", post("Transfer-\r\nEncoding: chunked\r\n"));
  add("S09", post("Transfer-\r\n Encoding: chunked\r\n"));
  add("S09", post("Content Length: 5\r\n"));
  // S12
  add("S12", "GET / HTTP/1.1\nHost: a\r\n\r\n");
  add("S12", "GET / HTTP/1.1\r\nHost: a\n\r\n");
  add("S12", "GET / HTTP/1.1\r\nHost: a\r\n\n");
  add("S12", "GET / HTTP/1.1\nHost: a\n\n");
  add("S12", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  // S13
  add("S13", "GET / HTTP/1.1\rHost: a\r\n\r\n");
  add("S13", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n");
  add("S13", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n");
  add("S13", "GET / HTTP/1.1\r\nHost: a\r\n\rX");
  add("S13", "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n");
  add("S13", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  add("S13", "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n");
  // S14
  add("S14", get("X: a\r\n b\r\n"));
  add("S14", get("X: a\r\n\tb\r\n"));
  add("S14", "GET / HTTP/1.1\r\n Host: a\r\n\r\n");
  add("S14", "GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n");
  add("S14", "GET / HTTP/1.1\r\nHost : a\r\n\r\n");
  for (auto line : {"X\r\n"s, ": x\r\n"s, "X Y: z\r\n"s, "X(: z\r\n"s, "X\x80: z\r\n"s,
                    "\"X\": z\r\n"s, "X,: z\r\n"s, "X/Y: z\r\n"s, "X@: z\r\n"s, "X\x7f: z\r\n"s,
                    "abcdefghijklmnopqrs\r\n"s, "abcdefghijklmnopqrs : z\r\n"s}) {
    add("S14", get(line));
  }
  // S15
  add("S15", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s);
  add("S15", "G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"s);
  add("S15", get("X\0: y\r\n"s));
  for (char c : {'\0', '\1', '\b', '\v', '\f', '\x1b', '\x1f', '\x7f'}) {
    add("S15", get("X: a"s + c + "b\r\n"));
    add("S15", get("X: a value that is longer than a vector "s + c + "b\r\n"));
  }
  // S16
  add("S16", "GET / HTTP/1.1\r\n\r\n");
  add("S16", "GET / HTTP/1.1\r\nX: a\r\n\r\n");
  add("S16", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n");
  add("S16", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  add("S16", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n");
  for (auto value : {"",     "a, b",    "a/b",      "a@b",  "a:b@c",  "a b",   "a:x", "a:65536",
                     "a:-1", "a:80:80", "[::1",     "::1",  "[::1]x", "[::g]", "[]",  "a?b",
                     "a#b",  "a\\b",    "http://a", "a..b", ":80",    "a%00b", "\x80"}) {
    add("S16", "GET / HTTP/1.1\r\nHost: "s + value + "\r\n\r\n");
  }
  add("S16", "GET / HTTP/1.0\r\nHost: a b\r\n\r\n");
  add("S16", "GET http://b/ HTTP/1.1\r\nHost: a b\r\n\r\n");
  add("S16", "GET http://b/ HTTP/1.1\r\n\r\n");
  // S17
  add("S17", head("GET https://a/ HTTP/1.1", ""), 421);
  add("S17", head("GET ftp://a/ HTTP/1.1", ""));
  add("S17", head("GET http:///x HTTP/1.1", ""));
  add("S17", head("GET http://u@a/ HTTP/1.1", ""));
  // S18
  for (auto target : {"/a\tb"s, "/a\x01"s, "/a\x7f"s, "/\xc3\xa9"s, "/a#b"s, "/a\\b"s, "a"s,
                      "/a\vb"s, "?a"s, "//a\x80"s}) {
    add("S18", head("GET " + target + " HTTP/1.1", ""));
  }
  // S19
  add("S19", head("GET  / HTTP/1.1", ""));
  add("S19", head("GET /  HTTP/1.1", ""));
  add("S19", head("GET\t/ HTTP/1.1", ""));
  add("S19", head("GET /\tHTTP/1.1", ""));
  add("S19", head("GET / HTTP/1.1 ", ""));
  add("S19", head(" GET / HTTP/1.1", ""));
  add("S19", head("GET / x HTTP/1.1", ""));
  add("S19", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  // S20
  add("S20", head(" / HTTP/1.1", ""));
  add("S20", head("G@T / HTTP/1.1", ""));
  add("S20", head("G\x80T / HTTP/1.1", ""));
  add("S20", head("GET * HTTP/1.1", ""));
  add("S20", head("/ HTTP/1.1", ""));
  add("S20", head(std::string(64, 'A') + " / HTTP/1.1", ""), 501);
  // S21
  for (auto version : {"HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/9.9"}) {
    add("S21", head("GET / "s + version, ""), 505);
  }
  for (auto version : {"HTTP/01.1", "http/1.1", "HTTP/1", "HTTP/ 1.1", "HTTP/1.10", "HTTP/1.1.1",
                       "HTTP/1,1", "HTTP/257.1", "HTTP/1.", "HTTP/.1", "HTP/1.1", "HTTP 1.1",
                       "Http/1.1", "HTTP/1.\xb1", "HTTP/1.x", "HTTPS/1.1", "ICE/1.0", "RTSP/1.0"}) {
    add("S21", head("GET / "s + version, ""));
  }
  add("S21", "GET /\r\n");
  add("S21", "GET /\r\n\r\n");
  add("S21", "GET\r\n\r\n");
  // S34
  add("S34", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  add("S34", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s);
  add("S34", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n");
  add("S34", "\r\n\r\n\0\r\nQUIT\n\x21\x11"s);
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Rows, Refused, testing::ValuesIn(refused_rows()),
                         [](const testing::TestParamInfo<Row>& row) {
                           return std::string(row.param.id) + "_" + std::to_string(row.index);
                         });

Parsed good(std::string_view input, bool secure = false) {
  Parsed result = parse_all_ways(input, {}, secure);
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
        good(head(std::string(method) + " / HTTP/1.1", "Transfer-Encoding: chunked\r\n"));
    EXPECT_NE(result.summary.find("02:00"), std::string::npos) << result.summary;
    result = good(head(std::string(method) + " / HTTP/1.1", "Content-Length: 7\r\n"));
    EXPECT_NE(result.summary.find("01:70"), std::string::npos) << result.summary;
  }
  good(post("Transfer-Encoding: CHUNKED\r\n"));
  good(post("Transfer-Encoding:  chunked \t\r\n"));
}

TEST(RequestParser, S05Expect) {
  EXPECT_NE(good(post("Content-Length: 5\r\nExpect: 100-CONTINUE\r\n")).summary.find("01:51"),
            std::string::npos);
  EXPECT_NE(good(get("Expect: 100-continue\r\n")).summary.find("00:00"), std::string::npos);
  good(head("POST / HTTP/1.0", "Content-Length: 5\r\nExpect: x\r\n"));
}

TEST(RequestParser, S07LeadingZeros) {
  EXPECT_NE(good(post("Content-Length: 0005\r\n")).summary.find("01:50"), std::string::npos);
  good(post("Content-Length: 9223372036854775807\r\n"));
}

TEST(RequestParser, S09S31UnderscoresAreDropped) {
  Parsed result =
      good(post("Transfer_Encoding: chunked\r\nContent_Length: 5\r\nX_Y: z\r\nX-Y: k\r\n"));
  EXPECT_EQ(result.summary, "POST|/|a|a||/|||100:00\nHost=a\nX-Y=k");
}

TEST(RequestParser, S15ObsTextPasses) {
  EXPECT_NE(good(get("X: \x80\xff\tb\r\n")).summary.find("X=\x80\xff\tb"), std::string::npos);
}

TEST(RequestParser, S16Http10NeedsNoHost) {
  Parsed result = good("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(result.summary, "GET|/||||/|||000:00");
  EXPECT_FALSE(result.keep_alive);
  EXPECT_NE(good("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n").summary.find("|[::1]:80|::1|80|"),
            std::string::npos);
}

TEST(RequestParser, S17AbsoluteForm) {
  EXPECT_EQ(good(head("GET http://B:81/x?y HTTP/1.1", "")).summary,
            "GET|http://B:81/x?y|B:81|b|81|/x|y||110:00\nHost=B:81");
  EXPECT_EQ(good(head("GET http://b HTTP/1.0", "")).summary,
            "GET|http://b|b|b||/|||000:00\nHost=b");
  good(head("GET https://b/ HTTP/1.1", ""), true);
  EXPECT_EQ(parse(head("GET http://b/ HTTP/1.1", ""), {}, {}, true).status, 421);
}

TEST(RequestParser, S18EncodedLineEndsStayEncoded) {
  EXPECT_NE(good(head("GET /%0d%0aX HTTP/1.1", "")).summary.find("|/%0d%0aX|"), std::string::npos);
}

TEST(RequestParser, S19LeadingEmptyLines) {
  good("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  good("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(RequestParser, S20MethodsAndAsterisk) {
  good(head("FROB / HTTP/1.1", ""));
  good(head("get / HTTP/1.1", ""));
  good(head("M-SEARCH / HTTP/1.1", ""));
  EXPECT_NE(good(head("OPTIONS * HTTP/1.1", "")).summary.find("OPTIONS|*|a|a||*|"),
            std::string::npos);
  good(head("CONNECT a:443 HTTP/1.1", ""));
}

TEST(RequestParser, S21LaterMinorVersions) {
  EXPECT_NE(good(head("GET / HTTP/1.2", "")).summary.find("|100:00"), std::string::npos);
  EXPECT_TRUE(good(head("GET / HTTP/1.9", "")).keep_alive);
}

TEST(RequestParser, KeepAlive) {
  EXPECT_FALSE(good(get("Connection: close\r\n")).keep_alive);
  EXPECT_FALSE(good(get("Connection: foo, Close\r\n")).keep_alive);
  EXPECT_FALSE(good(get("Connection: keep-alive\r\nConnection: close\r\n")).keep_alive);
  EXPECT_TRUE(good(head("GET / HTTP/1.0", "Connection: Keep-Alive\r\n")).keep_alive);
  EXPECT_FALSE(good(head("GET / HTTP/1.0", "Connection: keep-alive, close\r\n")).keep_alive);
}

std::string upgrade_of(std::string_view line, std::string_view fields) {
  std::string summary = good(head(line, fields)).summary;
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
  auto status = [&](const std::string& input) { return parse_all_ways(input, limits).status; };
  std::string target(64 - 4 - 11, 'a');  // "GET " and " HTTP/1.1" CRLF
  target[0] = '/';
  EXPECT_EQ(status(head("GET " + target + " HTTP/1.1", "")), 0);
  EXPECT_EQ(status(head("GET " + target + "a HTTP/1.1", "")), 414);
  EXPECT_EQ(status("GET /" + std::string(200, 'a')), 414);
  EXPECT_EQ(status(get("X: " + std::string(35, 'a') + "\r\n")), 0);
  EXPECT_EQ(status(get("X: " + std::string(36, 'a') + "\r\n")), 431);
  EXPECT_EQ(status(get(std::string(41, 'a'))), 431);
  EXPECT_EQ(status(get("X: " + std::string(200, 'a'))), 431);
  std::string line = "Y: " + std::string(35, 'b') + "\r\n";
  EXPECT_EQ(status(get(line + line)), 0);
  EXPECT_EQ(status(get(line + line + line)), 431);
  EXPECT_EQ(status(get("a: b\r\nc: d\r\ne: f\r\n")), 0);
  EXPECT_EQ(status(get("a: b\r\nc: d\r\ne: f\r\ng: h\r\n")), 431);
  EXPECT_EQ(status(get("a_: b\r\nc_: d\r\ne_: f\r\ng_: h\r\n")), 431);
}

TEST(RequestParser, NeedsMoreOfEveryPrefix) {
  std::string input = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n";
  for (size_t i = 0; i < input.size(); ++i) {
    EXPECT_EQ(parse(std::string_view(input).substr(0, i), {}).status, -1) << i;
  }
}

}  // namespace
}  // namespace http1
