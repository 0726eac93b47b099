// Our parsers against llhttp, in its strict mode, on the same inputs.
//
// Where one takes what the other refuses, the difference stands in the table below under the reason
// that our parser gives, with the sentence of the RFC that decides it. What both take must be read
// as the same.
#include <gtest/gtest.h>
#include <llhttp.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "http1/chunked_decoder.h"
#include "http1/request_parser.h"
#include "http1/response_parser.h"
#include "http1/test_inputs.h"

namespace http1 {
namespace {

using namespace std::string_literals;

// Ours refuse; llhttp takes.
const std::map<std::string_view, std::string_view> kDifferences = {
    {"Transfer-Encoding in HTTP/1.0 (RFC 9112 6.1)",
     "6.1: A server or client that receives an HTTP/1.0 message containing a Transfer-Encoding "
     "header field MUST treat the message as if the framing is faulty."},
    {"unknown expectation (RFC 9110 10.1.1)",
     "10.1.1: A server that receives an Expect field value containing a member other than "
     "100-continue MAY respond with a 417."},
    {"invalid Content-Length (RFC 9110 8.6)",
     "8.6: A recipient MUST anticipate potentially large decimal numerals and prevent parsing "
     "errors due to integer conversion overflows."},
    {"invalid Transfer-Encoding (RFC 9112 6.3)",
     "6.3: If the chunked transfer coding is not the final encoding in a request, the server MUST "
     "respond with the 400 status code and then close the connection."},
    {"unknown transfer coding (RFC 9112 6.1)",
     "6.1: A server that receives a request message with a transfer coding it does not understand "
     "SHOULD respond with 501."},
    {"request line without a target (RFC 9112 3)",
     "2.2: A recipient MAY recognize a single LF as a line terminator: we don't."},
    {"bare CR (RFC 9112 2.2)",
     "2.2: A recipient of such a bare CR MUST consider that element to be invalid or replace each "
     "bare CR with SP."},
    {"no Host (RFC 9112 3.2)",
     "3.2: A server MUST respond with a 400 to any HTTP/1.1 request message that lacks a Host "
     "header field."},
    {"more than one Host (RFC 9112 3.2)",
     "3.2: ... and to any request message that contains more than one Host header field line."},
    {"invalid Host (RFC 9112 3.2)", "3.2: ... or a Host header field with an invalid field value."},
    {"the target's scheme is not the connection's",
     "RFC 9110 7.4: A server MUST reject a request for a secured scheme that did not come over a "
     "secured connection."},
    {"invalid target (RFC 9112 3.2)",
     "3: Recipients of an invalid request-line SHOULD respond with either a 400 error."},
    {"more than one space after the method (RFC 9112 3)",
     "3: method SP request-target SP HTTP-version; recipients MAY instead parse on whitespace: we "
     "don't."},
    {"invalid version or end of the request line (RFC 9112 2.3, 3)",
     "2.3: HTTP-name is %s\"HTTP\"; 3: one SP stands before the version."},
    {"too many empty lines (RFC 9112 2.2)",
     "2.2: A server SHOULD ignore at least one empty line received prior to the request-line."},
    {"the target * is for OPTIONS only (RFC 9112 3.2.4)",
     "3.2.4: The asterisk-form of request-target is only used for a server-wide OPTIONS request."},
    {"another major version of HTTP",
     "RFC 9110 15.6.6: 505, where the major version of HTTP is not supported."},
    {"no version, or HTTP/0.9 (RFC 9112 3)", "3: request-line has an HTTP-version."},
    {"bare CR, LF or control in the status line",
     "4: reason-phrase is HTAB, SP, VCHAR, obs-text; 2.2: a recipient MAY recognize a single LF: "
     "we "
     "don't."},
    {"invalid status line (RFC 9112 4)", "4: three digits; RFC 9110 15: 100 to 599 are valid."},
    {"invalid status code (RFC 9112 4)", "4: three digits and SP."},
    {"unknown or invalid Transfer-Encoding (RFC 9112 6.1, 6.3)",
     "6.3 and 6.1: nobody could pass on what is coded in a way that is not understood."},
    {"empty Content-Length", "RFC 9110 8.6: Content-Length is 1*DIGIT."},
    {"invalid chunk extension (RFC 9112 7.1.1)",
     "7.1.1: whitespace only before \";\" and \"=\" and behind \"=\" and \";\"."},
    {"chunk extension without a name", "7.1.1: *( BWS \";\" BWS chunk-ext-name )."},
    {"chunk extension without a value", "7.1.1: [ BWS \"=\" BWS chunk-ext-val ]."},
    {"control in a chunk extension", "RFC 9110 5.6.4: no controls in a quoted-string."},
    {"chunk size over the limit",
     "7.1: recipients MUST anticipate potentially large hexadecimal numerals and prevent parsing "
     "errors due to integer conversion overflows."},
};

// llhttp refuses; ours take: what the input holds, and why.
const std::map<std::string_view, std::string_view> kLeniencies = {
    {"5 ;a", "RFC 9110 5.6.3: A recipient MUST parse for such bad whitespace and remove it."},
    {"5; a", "RFC 9110 5.6.3"},
    {"5;a =b", "RFC 9110 5.6.3"},
    {"5;a= b", "RFC 9110 5.6.3"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n",
     "6.3: unless the field value can be successfully parsed as a comma-separated list, all values "
     "in the list are valid, and all values in the list are the same."},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n", "6.3: likewise"},
    {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
     "6.3: the Transfer-Encoding overrides the Content-Length (P07)."},
};

struct Opinion {
  std::string error;      // empty: taken
  bool complete = false;  // the head, or the whole message
  std::string method, target, body;
  std::vector<std::pair<std::string, std::string>> fields;
  uint64_t length = 0;
  bool chunked = false;
  bool keep_alive = false;
};

// Records what llhttp calls back with.
class Llhttp {
 public:
  explicit Llhttp(llhttp_type type, bool whole) : whole_(whole) {
    llhttp_settings_init(&settings_);
    settings_.on_method = [](llhttp_t* p, const char* at, size_t size) {
      return self(p).append(self(p).opinion_.method, at, size);
    };
    settings_.on_url = [](llhttp_t* p, const char* at, size_t size) {
      return self(p).append(self(p).opinion_.target, at, size);
    };
    settings_.on_header_field = [](llhttp_t* p, const char* at, size_t size) {
      return self(p).append(self(p).name_, at, size);
    };
    settings_.on_header_value = [](llhttp_t* p, const char* at, size_t size) {
      return self(p).append(self(p).value_, at, size);
    };
    settings_.on_header_value_complete = [](llhttp_t* p) {
      auto& me = self(p);
      me.opinion_.fields.emplace_back(std::exchange(me.name_, {}), std::exchange(me.value_, {}));
      return 0;
    };
    settings_.on_body = [](llhttp_t* p, const char* at, size_t size) {
      return self(p).append(self(p).opinion_.body, at, size);
    };
    settings_.on_headers_complete = [](llhttp_t* p) {
      auto& me = self(p);
      me.opinion_.length = p->content_length;
      me.opinion_.chunked = (p->flags & F_CHUNKED) != 0;
      me.opinion_.keep_alive = llhttp_should_keep_alive(p) != 0;
      if (!me.whole_) me.opinion_.complete = true;
      return me.whole_ ? 0 : static_cast<int>(HPE_PAUSED);
    };
    settings_.on_message_complete = [](llhttp_t* p) {
      self(p).opinion_.complete = true;
      return static_cast<int>(HPE_PAUSED);
    };
    llhttp_init(&parser_, type, &settings_);
    parser_.data = this;
  }
  Opinion execute(std::string_view input) {
    llhttp_errno_t error = llhttp_execute(&parser_, input.data(), input.size());
    if (error != HPE_OK && error != HPE_PAUSED && error != HPE_PAUSED_UPGRADE) {
      opinion_.error = llhttp_errno_name(error);
    }
    return opinion_;
  }

 private:
  static Llhttp& self(llhttp_t* parser) { return *static_cast<Llhttp*>(parser->data); }
  int append(std::string& text, const char* at, size_t size) {
    text.append(at, size);
    return 0;
  }
  bool whole_;
  llhttp_settings_t settings_;
  llhttp_t parser_;
  Opinion opinion_;
  std::string name_, value_;
};

void compare(const std::string& input, const std::string& ours, const Opinion& theirs) {
  if (!ours.empty() && theirs.error.empty()) {
    EXPECT_TRUE(kDifferences.contains(ours)) << "only llhttp takes: " << input << "\n" << ours;
  } else if (ours.empty() && !theirs.error.empty()) {
    bool listed = std::ranges::any_of(
        kLeniencies, [&](const auto& entry) { return input.starts_with(entry.first); });
    EXPECT_TRUE(listed) << "only we take: " << input << "\n" << theirs.error;
  }
}

std::string compare_request(const std::string& input) {
  base::BlockPool blocks;
  base::Arena arena(blocks);
  http::Request request;
  RequestParser parser;
  ParseStatus status = parser.parse(input, {}, request, arena);
  Opinion theirs = Llhttp(HTTP_REQUEST, false).execute(input);
  std::string ours(status == ParseStatus::error ? parser.error().reason : "");
  compare(input, ours, theirs);
  if (status == ParseStatus::error || !theirs.error.empty()) return ours;
  EXPECT_EQ(status == ParseStatus::done, theirs.complete) << input;
  if (status != ParseStatus::done) return ours;
  EXPECT_EQ(request.method_text, theirs.method);
  EXPECT_EQ(request.target, theirs.target);
  EXPECT_EQ(request.body.kind == http::BodyKind::unknown, theirs.chunked) << input;
  EXPECT_EQ(request.body.size, theirs.length) << input;
  EXPECT_EQ(parser.keep_alive(), theirs.keep_alive) << input;
  std::string a, b;
  for (const http::Field& field : request.fields.all()) {
    a.append(field.name).append("=").append(field.value).append("\n");
  }
  for (auto& [name, value] : theirs.fields) {
    if (name.find('_') != name.npos) continue;  // dropped: S09
    b.append(name).append("=").append(base::trim(value)).append("\n");
  }
  EXPECT_EQ(a, b) << input;
  return ours;
}

TEST(Llhttp, RefusedRequests) {
  for (const Row& row : refused_requests()) EXPECT_NE(compare_request(row.input), "") << row.input;
}

TEST(Llhttp, RequestsThatBothTake) {
  for (const std::string& input :
       {get_with(""), get_with("A:b\r\nC:  d \t\r\nE:\r\nF: \x80\xff\r\n"),
        post_with("Content-Length: 5\r\n"), post_with("Content-Length: 0005\r\n"),
        post_with("Transfer-Encoding: chunked\r\n"), post_with("transfer-encoding: CHUNKED\r\n"),
        get_with("Connection: close\r\n"), get_with("Connection: keep-alive, x\r\n"),
        head_of("GET / HTTP/1.0", ""), head_of("GET / HTTP/1.0", "Connection: keep-alive\r\n"),
        head_of("HEAD /a?b HTTP/1.1", ""), head_of("OPTIONS * HTTP/1.1", ""),
        head_of("DELETE /x HTTP/1.1", "Content-Length: 3\r\n"),
        head_of("GET http://a/b HTTP/1.1", ""), "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n"s,
        "\r\n" + get_with("A: b\r\n"), get_with("a_b: c\r\n"), get_with("A: b, c\r\nA: d\r\n"),
        get_with("!#$%&'*+-.^_`|~09az: x\r\n")}) {
    EXPECT_EQ(compare_request(input), "") << input;
    for (size_t i = 1; i < input.size(); ++i) compare_request(input.substr(0, i));
  }
}

void compare_chunks(const std::string& body) {
  Opinion theirs =
      Llhttp(HTTP_REQUEST, true).execute(post_with("Transfer-Encoding: chunked\r\n") + body);
  ChunkedDecoder decoder;
  http::Fields trailers;
  std::string content, ours;
  std::string_view rest = body;
  bool complete = false;
  while (!complete) {
    auto [status, consumed, size] = decoder.step(rest, trailers);
    rest.remove_prefix(consumed);
    if (status == ChunkedDecoder::Status::error) ours = decoder.error().reason;
    if (status == ChunkedDecoder::Status::error || status == ChunkedDecoder::Status::need_more)
      break;
    complete = status == ChunkedDecoder::Status::done;
    content += rest.substr(0, size);
    if (size > 0) decoder.advance(size);
    rest.remove_prefix(size);
  }
  compare(body, ours, theirs);
  if (!ours.empty() || !theirs.error.empty()) return;
  EXPECT_EQ(complete, theirs.complete) << body;
  EXPECT_EQ(content, theirs.body) << body;
}

TEST(Llhttp, Chunks) {
  for (const std::string& size : {"5"s,
                                  "05"s,
                                  "000005"s,
                                  "0x5"s,
                                  "+5"s,
                                  "-5"s,
                                  "_5"s,
                                  " 5"s,
                                  "5 "s,
                                  "5\t"s,
                                  ""s,
                                  "g"s,
                                  "10000000000000005"s,
                                  "5;"s,
                                  "5;;a"s,
                                  "5;a"s,
                                  "5;a=b"s,
                                  "5;a=\"b\""s,
                                  "5;a=\"b;\\\"c\""s,
                                  "5;a=b;c"s,
                                  "5;a="s,
                                  "5;=b"s,
                                  "5;a b"s,
                                  "5;a\0"s,
                                  "5;a=\"b"s,
                                  "5;a=\"\x01\""s,
                                  "5;a\rb"s,
                                  "5;a\nb"s,
                                  "5;a=\"b\"c"s,
                                  "5 ;a"s,
                                  "5; a"s,
                                  "5;a =b"s,
                                  "5;a= b"s,
                                  "5;a=b "s,
                                  "5;a "s}) {
    compare_chunks(size + "\r\nhello\r\n0\r\n\r\n");
  }
  for (const std::string& body :
       {"5\r\nhello\r\n0\r\n\r\n"s, "5\r\nhelloX"s, "5\r\nhello\n0\r\n\r\n"s,
        "5\nhello\r\n0\r\n\r\n"s, "5\r\nhello\r\n0\r\nA: b\r\n\r\n"s,
        "5\r\nhello\r\n0\r\nX\r\n\r\n"s, "0\r\nA : b\r\n\r\n"s, "0\r\nA: b\n\r\n"s, "0\r\n\n"s,
        "0\n\r\n"s, "0\r\n\rX"s, "5\r\nhello\r0\r\n\r\n"s, "4\r\nhello\r\n"s,
        "0\r\nA: b\r\n c\r\n\r\n"s, "a\r\n0123456789\r\nA\r\n0123456789\r\n00\r\n\r\n"s}) {
    compare_chunks(body);
    for (size_t i = 0; i < body.size(); ++i) compare_chunks(body.substr(0, i));
  }
}

TEST(Llhttp, Responses) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const std::string& input : {ok + "\r\n",
                                   ok + "Content-Length: 5\r\n\r\n",
                                   ok + "Transfer-Encoding: chunked\r\n\r\n",
                                   "HTTP/1.1 200\r\n\r\n"s,
                                   "HTTP/1.1 200 \r\n\r\n"s,
                                   "HTTP/1.1 200 O\x80K\r\n\r\n"s,
                                   "HTTP/1.0 200 OK\r\n\r\n"s,
                                   "HTTP/1.1 204 No\r\n\r\n"s,
                                   "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n"s,
                                   "HTTP/1.1 100 C\r\n\r\n"s,
                                   "HTTP/2.0 200 OK\r\n\r\n"s,
                                   "HTTP/0.9 200 OK\r\n\r\n"s,
                                   "HTTP/1.1  200 OK\r\n\r\n"s,
                                   "HTTP/1.1 20 OK\r\n\r\n"s,
                                   "HTTP/1.1 2000 OK\r\n\r\n"s,
                                   "HTTP/1.1 600 OK\r\n\r\n"s,
                                   "HTTP/1.1 200OK\r\n\r\n"s,
                                   "HTTP/1.1 200 OK\n\n"s,
                                   "HTTP/1.1 200 O\rK\r\n\r\n"s,
                                   "HTTP/1.1 200 O\0K\r\n\r\n"s,
                                   "HTTP/1.1 200 O\x01K\r\n\r\n"s,
                                   "ICY 200 OK\r\n\r\n"s,
                                   "RTSP/1.0 200 OK\r\n\r\n"s,
                                   ok + "X : y\r\n\r\n",
                                   ok + "X: y\r\n z\r\n\r\n",
                                   ok + "X: y\n\r\n",
                                   ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
                                   ok + "Content-Length: 5, 5\r\n\r\n",
                                   ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n",
                                   ok + "Content-Length:\r\n\r\n",
                                   ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                                   ok + "Transfer-Encoding: gzip\r\n\r\n",
                                   ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                                   ok + "Transfer-Encoding: identity\r\n\r\n",
                                   "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"s}) {
    http::Response response;
    ResponseParser parser;
    ParseStatus status = parser.parse(input, {4096, 4096, 100}, http::Method::get, response);
    Opinion theirs = Llhttp(HTTP_RESPONSE, false).execute(input);
    std::string ours(status == ParseStatus::error ? parser.error().reason : "");
    compare(input, ours, theirs);
    if (!ours.empty() || !theirs.error.empty()) continue;
    EXPECT_EQ(status == ParseStatus::done, theirs.complete) << input;
    EXPECT_EQ(parser.framing().kind == http::BodyKind::unknown, theirs.chunked) << input;
  }
}

}  // namespace
}  // namespace http1
