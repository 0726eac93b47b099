// For tests: heads of requests by row of the attack catalogue, with the status that each deserves.
//
// Used on our own parser, on llhttp for comparison, and as the seeds of fuzzers.
#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace http1 {

inline std::string head_of(std::string_view line, std::string_view fields) {
  return std::string(line) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}
inline std::string get_with(std::string_view fields) { return head_of("GET / HTTP/1.1", fields); }
inline std::string post_with(std::string_view fields) { return head_of("POST / HTTP/1.1", fields); }

struct Row {
  const char* id;
  std::string input;
  int status;
};
// What the test's output shows of a row.
inline void PrintTo(const Row& row, std::ostream* out) { *out << row.id << ": " << row.input; }

class RowList {
 public:
  void operator()(const char* id, std::string input, int status = 400) {
    rows.push_back({id, std::move(input), status});
  }
  std::vector<Row> rows;
};

inline void add_refused_framing(RowList& add) {
  using namespace std::string_literals;
  // S01
  add("S01", post_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"));
  add("S01", post_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"));
  add("S01", post_with("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"));
  // S02
  add("S02", head_of("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\n"));
  add("S02", head_of("POST / HTTP/1.0", "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"));
  // S05
  for (auto value : {"x 100-continue", "100-continue, x", "100-Continuee", "200-ok", ""}) {
    add("S05", post_with("Content-Length: 5\r\nExpect: "s + value + "\r\n"), 417);
  }
  add("S05", post_with("Content-Length: 5\r\nExpect: 100-continue\r\nExpect: x\r\n"), 417);
  add("S05", get_with("Expect: x\r\n"), 417);
  // S06
  add("S06", post_with("Content-Length: 5\r\nContent-Length: 6\r\n"));
  add("S06", post_with("Content-Length: 5\r\nContent-Length: 5\r\n"));
  add("S06", post_with("Content-Length: 5, 5\r\n"));
  add("S06", post_with("Content-Length:\r\nContent-Length: 5\r\n"));
  add("S06", post_with("Content-Length: 5\r\nContent-Length:\r\n"));
  // S07
  for (auto value : {"+5", "-1", "-0", "0x5", "5_0", "0b1", "1e1", "5 5", "1Z", "", "5;", "\"5\"",
                     "9223372036854775808", "18446744073709551621", "99999999999999999999999"}) {
    add("S07", post_with("Content-Length: "s + value + "\r\n"));
  }
  // S08
  for (auto value : {"identity"s,  "xchunked"s,          "chunked;q=1"s,       ",chunked"s,
                     "chunked,"s,  "chunked, chunked"s,  "chunked, identity"s, ""s,
                     "chunked\0"s, "\0chunked"s,         "chunked\v"s,         "\vchunked"s,
                     "chunked\f"s, "\x85"s + " chunked", "\x85"s + "chunked",  "chunked\xa0"s,
                     "chunke"s,    "chunked chunked"s,   "\"chunked\""s,       "chunked\x7f"s,
                     "gzip"s,      "chunked, gzip"s,     "gzip;q=1, chunked"s}) {
    add("S08", post_with("Transfer-Encoding: " + value + "\r\n"));
  }
  add("S08", post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"));
  add("S08", post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"));
  add("S08", post_with("Transfer-Encoding:\r\n chunked\r\n"));
  add("S08", post_with("Transfer-Encoding: gzip, chunked\r\n"), 501);
  add("S08", post_with("Transfer-Encoding: identity, chunked\r\n"), 501);
  // S09
  add("S09", post_with("Transfer-Encoding : chunked\r\n"));
  add("S09", post_with("Transfer-Encoding\t: chunked\r\n"));
  add("S09", post_with("Transfer-\r\nEncoding: chunked\r\n"));
  add("S09", post_with("Transfer-\r\n Encoding: chunked\r\n"));
  add("S09", post_with("Content Length: 5\r\n"));
}

inline void add_refused_lines(RowList& add) {
  using namespace std::string_literals;
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
  add("S14", get_with("X: a\r\n b\r\n"));
  add("S14", get_with("X: a\r\n\tb\r\n"));
  add("S14", "GET / HTTP/1.1\r\n Host: a\r\n\r\n");
  add("S14", "GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n");
  add("S14", "GET / HTTP/1.1\r\nHost : a\r\n\r\n");
  for (auto line : {"X\r\n"s, ": x\r\n"s, "X Y: z\r\n"s, "X(: z\r\n"s, "X\x80: z\r\n"s,
                    "\"X\": z\r\n"s, "X,: z\r\n"s, "X/Y: z\r\n"s, "X@: z\r\n"s, "X\x7f: z\r\n"s,
                    "abcdefghijklmnopqrs\r\n"s, "abcdefghijklmnopqrs : z\r\n"s}) {
    add("S14", get_with(line));
  }
  // S15
  add("S15", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s);
  add("S15", "G\0T / HTTP/1.1\r\nHost: a\r\n\r\n"s);
  add("S15", get_with("X\0: y\r\n"s));
  for (char c : {'\0', '\1', '\b', '\v', '\f', '\x1b', '\x1f', '\x7f'}) {
    add("S15", get_with("X: a"s + c + "b\r\n"));
    add("S15", get_with("X: a value that is longer than a vector "s + c + "b\r\n"));
  }
}

inline void add_refused_targets(RowList& add) {
  using namespace std::string_literals;
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
  add("S17", head_of("GET https://a/ HTTP/1.1", ""), 421);
  add("S17", head_of("GET ftp://a/ HTTP/1.1", ""));
  add("S17", head_of("GET http:///x HTTP/1.1", ""));
  add("S17", head_of("GET http://u@a/ HTTP/1.1", ""));
  // S18
  for (auto target : {"/a\tb"s, "/a\x01"s, "/a\x7f"s, "/\xc3\xa9"s, "/a#b"s, "/a\\b"s, "a"s,
                      "/a\vb"s, "?a"s, "//a\x80"s}) {
    add("S18", head_of("GET " + target + " HTTP/1.1", ""));
  }
}

inline void add_refused_request_lines(RowList& add) {
  using namespace std::string_literals;
  // S19
  add("S19", head_of("GET  / HTTP/1.1", ""));
  add("S19", head_of("GET /  HTTP/1.1", ""));
  add("S19", head_of("GET\t/ HTTP/1.1", ""));
  add("S19", head_of("GET /\tHTTP/1.1", ""));
  add("S19", head_of("GET / HTTP/1.1 ", ""));
  add("S19", head_of(" GET / HTTP/1.1", ""));
  add("S19", head_of("GET / x HTTP/1.1", ""));
  add("S19", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
  // S20
  add("S20", head_of(" / HTTP/1.1", ""));
  add("S20", head_of("G@T / HTTP/1.1", ""));
  add("S20", head_of("G\x80T / HTTP/1.1", ""));
  add("S20", head_of("GET * HTTP/1.1", ""));
  add("S20", head_of("/ HTTP/1.1", ""));
  add("S20", head_of(std::string(64, 'A') + " / HTTP/1.1", ""), 501);
  // S21
  for (auto version : {"HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/9.9"}) {
    add("S21", head_of("GET / "s + version, ""), 505);
  }
  for (auto version : {"HTTP/01.1", "http/1.1", "HTTP/1", "HTTP/ 1.1", "HTTP/1.10", "HTTP/1.1.1",
                       "HTTP/1,1", "HTTP/257.1", "HTTP/1.", "HTTP/.1", "HTP/1.1", "HTTP 1.1",
                       "Http/1.1", "HTTP/1.\xb1", "HTTP/1.x", "HTTPS/1.1", "ICE/1.0", "RTSP/1.0"}) {
    add("S21", head_of("GET / "s + version, ""));
  }
  add("S21", "GET /\r\n");
  add("S21", "GET /\r\n\r\n");
  add("S21", "GET\r\n\r\n");
  // S34
  add("S34", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  add("S34", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s);
  add("S34", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\nGET / HTTP/1.1\r\n");
  add("S34", "\r\n\r\n\0\r\nQUIT\n\x21\x11"s);
}

inline std::vector<Row> refused_requests() {
  RowList add;
  add_refused_framing(add);
  add_refused_lines(add);
  add_refused_targets(add);
  add_refused_request_lines(add);
  return add.rows;
}

}  // namespace http1
