#include "http1/server_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http1/test_server.h"

namespace http1 {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}
std::string post(std::string_view path, std::string_view fields, std::string_view body) {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n" +
         std::string(body);
}
const std::string kChunked = "Transfer-Encoding: chunked\r\n";

std::vector<std::string> answers(TestServer& server, std::string_view input) {
  return split_responses(server.exchange(input));
}

TEST(ServerConnection, AnswersAtOnce) {
  TestServer server;
  std::string text = server.exchange(get("/"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\nServer: webship\r\nDate: "));
  EXPECT_THAT(text, testing::EndsWith("GMT\r\nContent-Length: 5\r\n\r\nhello"));
  EXPECT_FALSE(server.closed);
  EXPECT_TRUE(server.connection->idle());
  text = server.exchange(get("/prepared"));
  EXPECT_THAT(text, testing::MatchesRegex(
                        "HTTP/1.1 200 OK\r\nServer: webship\r\nContent-Type: text/plain\r\n"
                        "Content-Length: 6\r\nDate: .*GMT\r\n\r\nready\n"));
  EXPECT_THAT(server.log, ElementsAre("/ 200", "/prepared 200"));
}

TEST(ServerConnection, ServesARequestCutAtEveryByte) {
  std::string request =
      post("/echo", kChunked, "5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX: y\r\n\r\n") + get("/");
  for (size_t i = 1; i < request.size(); ++i) {
    TestServer server;
    std::string text = server.exchange(request.substr(0, i));
    text += server.exchange(request.substr(i));
    EXPECT_THAT(split_responses(text), ElementsAre("200 hello world[X=y]", "200 hello")) << i;
    EXPECT_EQ(server.log.size(), 2u);
  }
  TestServer server;
  std::string text;
  for (char byte : request) text += server.exchange({&byte, 1});
  EXPECT_THAT(split_responses(text), ElementsAre("200 hello world[X=y]", "200 hello"));
}

TEST(ServerConnection, HeadHasNoBody) {
  TestServer server;
  std::string text = server.exchange(
      "HEAD / HTTP/1.1\r\nHost: a\r\n\r\nHEAD /prepared HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(split_responses(text, true), ElementsAre("200", "200"));
  EXPECT_THAT(text, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("hello")));
  EXPECT_THAT(text, Not(HasSubstr("ready")));
}

TEST(ServerConnection, Http10) {
  TestServer server;
  std::string text = server.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("Connection: keep-alive\r\n"));
  EXPECT_FALSE(server.closed);
  // No chunks for 1.0: the end of the connection ends the body, whatever was asked for.
  text = server.exchange("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("Connection: close\r\n\r\nonetwotwo"));
  EXPECT_THAT(text, Not(HasSubstr("chunked")));
  EXPECT_TRUE(server.closed);

  TestServer second;
  text = second.exchange("GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(text, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(second.closed);
}

TEST(ServerConnection, ChunkedWithTrailers) {
  TestServer server;
  EXPECT_THAT(server.exchange(get("/stream")),
              testing::EndsWith("Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n6\r\ntwotwo\r\n0\r\n"
                                "X-Sum: 9\r\n\r\n"));
  EXPECT_FALSE(server.closed);
}

TEST(ServerConnection, R0ErrorsAreAnsweredAndTheConnectionCloses) {
  TestServer server;
  std::string text = server.exchange("GET / HTTP/1.1\r\nHost : a\r\n\r\n" + get("/"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(split_responses(text), ElementsAre("400 400 Bad Request\n close"));
  EXPECT_TRUE(server.closed);
  EXPECT_FALSE(server.reset);
  EXPECT_EQ(server.served, 0);
  EXPECT_THAT(server.log, ElementsAre("refused 400 GET / HTTP/1.1"));
  EXPECT_TRUE(server.over);
}

// S22: what is good is answered in order, the rest is not looked at.
TEST(ServerConnection, S22Pipelining) {
  TestServer server;
  EXPECT_THAT(
      answers(server, get("/") + get("/prepared") + get("/wait") + "BAD\r\n\r\n" + get("/")),
      ElementsAre("200 hello", "200 ready\n"));
  server.gate.notify();
  EXPECT_THAT(split_responses(server.receive()),
              ElementsAre("200 waited", "400 400 Bad Request\n close"));
  EXPECT_THAT(server.log, ElementsAre("/ 200", "/prepared 200", "/wait 200", "refused 400 BAD"));
  EXPECT_TRUE(server.closed);
}

TEST(ServerConnection, S22ManyPipelined) {
  TestServer server;
  std::string input;
  for (int i = 0; i < 1000; ++i) input += get("/");
  EXPECT_EQ(answers(server, input).size(), 1000u);
  EXPECT_EQ(server.served, 1000);
}

// S22: a client that sends without reading is not answered without end.
TEST(ServerConnection, S22PipeliningWithoutReadingIsBounded) {
  TestServer server;
  server.handlers["/large"] = [](http::Exchange& exchange) {
    exchange.respond(base::Slice::copy_of(std::string(100'000, 'x')));
    return http::Outcome();
  };
  std::string input;
  for (int i = 0; i < 200; ++i) input += get("/large");
  server.send(input);
  for (int i = 0; i < 50; ++i) server.turn();
  EXPECT_LT(server.served, 20);
  EXPECT_EQ(split_responses(server.receive()).size(), 200u);
  // Those that waited for room were logged after their bytes were gone.
  EXPECT_THAT(server.log, testing::SizeIs(200));
  EXPECT_THAT(server.log, testing::Each("/large 200"));
}

// What is told of an exchange that ended within the call is told later in the turn.
TEST(ServerConnection, AnAbortedRequestIsLoggedAsItWas) {
  TestServer server;
  server.handlers["/large"] = [](http::Exchange& exchange) {
    exchange.respond(base::Slice::copy_of(std::string(1'000'000, 'x')));
    return http::Outcome();
  };
  server.handlers["/aborted"] = [](http::Exchange& exchange) {
    exchange.abort();
    return http::Outcome();
  };
  // The second comes from what the stream kept, which is freed when the connection ends.
  server.send(get("/large") + get("/aborted"));
  server.receive();
  EXPECT_TRUE(server.closed);
  EXPECT_THAT(server.log, testing::ElementsAre("/large 200", "/aborted 200 aborted"));
}

TEST(ServerConnection, S04AnUnreadBodyIsNeverARequest) {
  for (std::string path : {"/", "/prepared", "/wait"}) {
    TestServer server;
    server.gate.notify();
    std::string hidden = get("/hidden");
    std::string body = std::to_string(hidden.size());
    std::string text =
        server.exchange(post(path, "Content-Length: " + body + "\r\n", hidden) + get("/next"));
    text += server.exchange(post("/", kChunked, "5\r\nGET /\r\n0\r\n\r\n") + get("/last"));
    EXPECT_EQ(split_responses(text).size(), 4u) << text;
    EXPECT_THAT(server.log, testing::ElementsAre(path + " 200", "/next 200", "/ 200", "/last 200"));
    EXPECT_FALSE(server.closed);
  }
}

TEST(ServerConnection, S04ALongUnreadBodyEndsTheConnection) {
  http::Limits limits;
  limits.linger_size_max = 1000;
  TestServer server(limits);
  EXPECT_THAT(answers(server, post("/", "Content-Length: 100000\r\n", "abc")),
              ElementsAre("200 hello close"));
  EXPECT_TRUE(server.closed);
  // Chunked: nobody knows how long, so the limit is found out.
  TestServer second(limits);
  EXPECT_THAT(answers(second, post("/", kChunked, "3\r\nabc\r\n")), ElementsAre("200 hello"));
  second.exchange("fff\r\n" + std::string(0xfff, 'x') + "\r\n");
  EXPECT_TRUE(second.closed);
  EXPECT_THAT(second.log, ElementsAre("/ 200"));
}

TEST(ServerConnection, S05ContinueWhenTheBodyIsRead) {
  TestServer server;
  std::string fields = "Content-Length: 5\r\nExpect: 100-continue\r\n";
  EXPECT_EQ(server.exchange(post("/echo", fields, "")), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(answers(server, "hello"), ElementsAre("200 hello"));
  // Not where the body is there already.
  EXPECT_THAT(answers(server, post("/echo", fields, "hello")), ElementsAre("200 hello"));
  // Answered without it: the client may send the body or not, so the connection ends.
  EXPECT_THAT(answers(server, post("/", fields, "")), ElementsAre("200 hello close"));
  EXPECT_TRUE(server.closed);
}

TEST(ServerConnection, S05OtherExpectations) {
  TestServer server;
  EXPECT_THAT(answers(server, post("/echo", "Content-Length: 5\r\nExpect: x 100-continue\r\n", "")),
              ElementsAre("417 417 Expectation Failed\n close"));
}

TEST(ServerConnection, S10BadChunks) {
  for (auto chunk :
       {"0x5\r\n", "+5\r\n", "5 \r\n", "\r\n", "5\r\nhelloX", "5\r\nhello\rX", "0\r\nX\r\n\r\n"}) {
    TestServer server;
    EXPECT_THAT(answers(server, post("/echo", kChunked, chunk)),
                ElementsAre("400 400 Bad Request\n close"))
        << chunk;
    EXPECT_TRUE(server.closed);
  }
}

TEST(ServerConnection, S23ConnectAndTrace) {
  for (auto request :
       {"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    TestServer server;
    std::string text = server.exchange(request + get("/"));
    EXPECT_THAT(text, StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(text, HasSubstr("Allow: GET"));
    EXPECT_EQ(split_responses(text).size(), 1u);
    EXPECT_TRUE(server.closed);
  }
}

TEST(ServerConnection, S24Tunnel) {
  TestServer server;
  std::string upgrade = "Connection: upgrade\r\nUpgrade: websocket\r\n";
  // Bytes behind the request wait until it is known what they are.
  EXPECT_EQ(server.exchange(get("/tunnel", upgrade) + "raw"), "");
  server.gate.notify();
  EXPECT_EQ(
      server.receive(),
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nraw");
  EXPECT_EQ(server.exchange("GET / HTTP/1.1\r\n\r\n"), "GET / HTTP/1.1\r\n\r\n");
  EXPECT_FALSE(server.closed);
  server.half_close();
  EXPECT_EQ(server.receive(), "bye");
  EXPECT_TRUE(server.closed);
  EXPECT_THAT(server.log, ElementsAre("/tunnel 101"));
}

TEST(ServerConnection, S24WithoutASwitchTheyAreRequests) {
  TestServer server;
  EXPECT_THAT(
      answers(server, get("/", "Connection: upgrade\r\nUpgrade: websocket\r\n") + get("/prepared")),
      ElementsAre("200 hello", "200 ready\n"));
  EXPECT_THAT(answers(server, get("/tunnel", "Connection: upgrade\r\nUpgrade: h2c\r\n"))[0],
              StartsWith("426"));
}

TEST(ServerConnection, S27Trailers) {
  TestServer server;
  EXPECT_THAT(answers(server, post("/echo", kChunked,
                                   "1\r\nx\r\n0\r\nHost: evil\r\nX-A: b\r\nX-Forwarded-For: 1\r\n"
                                   "Authorization: x\r\nContent-Length: 7\r\nX_B: c\r\n\r\n")),
              ElementsAre("200 x[X-A=b]"));
  TestServer second;
  std::string many = "0\r\n";
  for (int i = 0; i < 65; ++i) many += "a: b\r\n";
  EXPECT_THAT(answers(second, post("/echo", kChunked, many + "\r\n")),
              ElementsAre("400 400 Bad Request\n close"));
}

TEST(ServerConnection, S28BodyLimit) {
  http::Limits limits;
  limits.body_size_max = 10;
  TestServer server(limits);
  // From Content-Length, before anything is read, and without 100.
  EXPECT_THAT(answers(server, post("/echo", "Content-Length: 11\r\nExpect: 100-continue\r\n", "")),
              ElementsAre("413 413 Content Too Large\n close"));
  EXPECT_EQ(server.served, 0);
  TestServer second(limits);
  EXPECT_THAT(answers(second, post("/echo", kChunked, "6\r\n123456\r\n6\r\n123456\r\n0\r\n\r\n")),
              ElementsAre("413 413 Content Too Large\n close"));
  // An exchange's own.
  TestServer third;
  third.handlers["/limited"] = [&](http::Exchange& exchange) -> http::Outcome {
    exchange.limit_body(3);
    return third.echo(exchange);
  };
  EXPECT_THAT(answers(third, post("/limited", "Content-Length: 4\r\nExpect: 100-continue\r\n", "")),
              ElementsAre("413 413 Content Too Large\n close"));
}

TEST(ServerConnection, S34NotHttp) {
  for (auto input : {"\x16\x03\x01\x02"s, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"s,
                     "\r\n\r\n\0\r\nQUIT\n"s, "GET /\r\n"s, "\x80\x2e\x01"s}) {
    TestServer server;
    std::string text = server.exchange(input);
    EXPECT_THAT(text, StartsWith(input[0] == 'P' ? "HTTP/1.1 505" : "HTTP/1.1 400"));
    EXPECT_TRUE(server.closed);
  }
}

TEST(ServerConnection, S32AResponseCantBeSplit) {
  TestServer server;
  server.handlers["/split"] = [](http::Exchange& exchange) {
    exchange.response().fields.add("X-Good", "a");
    exchange.response().fields.add("X-Bad", "a\r\nX-Evil: b");
    exchange.response().fields.add("X-Nul", std::string_view("a\0b", 3));
    exchange.response().fields.add("X Evil", "b");
    exchange.response().fields.add("X-Evil:", "b");
    exchange.response().fields.add(http::FieldName::transfer_encoding, "chunked");
    exchange.response().fields.add(http::FieldName::content_length, "1");
    exchange.response().fields.add(http::FieldName::connection, "x-good");
    exchange.respond(base::Slice::unowned("ok"));
    return http::Outcome();
  };
  std::string text = server.exchange(get("/split"));
  EXPECT_THAT(text, HasSubstr("X-Good: a\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("Evil")));
  EXPECT_THAT(text, Not(HasSubstr("Nul")));
  EXPECT_THAT(text, Not(HasSubstr("chunked")));
  EXPECT_THAT(text, Not(HasSubstr("Connection")));
  EXPECT_THAT(text, HasSubstr("\r\nContent-Length: 2\r\n\r\nok"));
}

TEST(ServerConnection, D01SlowHead) {
  http::Limits limits;
  limits.header_timeout = 30ms;
  TestServer server(limits);
  server.exchange("GET / HT");
  EXPECT_THAT(split_responses(server.receive_to_end()),
              ElementsAre("408 408 Request Timeout\n close"));
  EXPECT_THAT(server.log, ElementsAre(StartsWith("refused 408")));
}

TEST(ServerConnection, D01BytesDoNotMoveTheDeadline) {
  http::Limits limits;
  limits.header_timeout = 40ms;
  limits.field_size_max = limits.fields_size_max = 1 << 30;  // however fast this is
  TestServer server(limits);
  auto begin = std::chrono::steady_clock::now();
  std::string text;
  server.send("GET / HTTP/1.1\r\n");
  while (!server.closed && std::chrono::steady_clock::now() < begin + 5s) {
    server.send("a");
    server.loop.turn(3ms);
    server.take(text);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  EXPECT_THAT(text, StartsWith("HTTP/1.1 408 "));
}

TEST(ServerConnection, D04IdleConnectionsEndInSilence) {
  http::Limits limits;
  limits.header_timeout = 20ms;
  limits.keepalive_timeout = 20ms;
  TestServer server(limits);
  EXPECT_EQ(server.receive_to_end(), "");  // said nothing at all
  limits.header_timeout = 20s;
  TestServer second(limits);
  EXPECT_THAT(answers(second, get("/")), ElementsAre("200 hello"));
  EXPECT_EQ(second.receive_to_end(), "");
  EXPECT_TRUE(second.closed);
}

TEST(ServerConnection, D02SlowBody) {
  http::Limits limits;
  limits.body_timeout = 30ms;
  TestServer server(limits);
  server.exchange(post("/echo", "Content-Length: 5\r\n", "he"));
  EXPECT_THAT(split_responses(server.receive_to_end()),
              ElementsAre("408 408 Request Timeout\n close"));
  EXPECT_THAT(server.log, ElementsAre("/echo 408"));
}

TEST(ServerConnection, D02TricklingBody) {
  http::Limits limits;
  limits.body_timeout = 50ms;
  limits.body_rate_min = 1000;
  TestServer server(limits);
  server.send(post("/echo", "Content-Length: 100000\r\n", ""));
  auto end = std::chrono::steady_clock::now() + 5s;
  std::string text;
  while (!server.closed && std::chrono::steady_clock::now() < end) {
    server.send("x");
    server.turn();
    server.loop.turn(5ms);  // nothing comes: 200 bytes in a second, a fifth of what is asked for
    server.take(text);
  }
  EXPECT_THAT(text, StartsWith("HTTP/1.1 408 "));
}

TEST(ServerConnection, D03SlowReader) {
  http::Limits limits;
  limits.send_timeout = 40ms;
  TestServer server(limits);
  server.handlers["/endless"] = [](http::Exchange& exchange) -> http::Outcome {
    return [](http::Exchange& e) -> base::Task<> {
      e.response().body = {http::BodyKind::unknown, 0};
      e.start();
      std::string piece(64 * 1024, 'x');
      while (co_await e.write(std::string_view(piece))) {
      }
    }(exchange);
  };
  server.send(get("/endless"));
  auto end = std::chrono::steady_clock::now() + 5s;
  while (!server.over && std::chrono::steady_clock::now() < end) server.loop.turn(5ms);
  EXPECT_TRUE(server.over);
  EXPECT_THAT(server.log, ElementsAre("/endless 200 aborted"));
}

TEST(ServerConnection, P15TheClientGoesAway) {
  TestServer server;
  server.exchange(get("/wait"));
  EXPECT_EQ(server.destroyed, 0);
  server.hang_up();
  for (int i = 0; i < 3; ++i) server.turn();
  EXPECT_EQ(server.destroyed, 1);
  EXPECT_TRUE(server.over);
  EXPECT_THAT(server.log, ElementsAre("/wait 200 aborted"));
}

TEST(ServerConnection, P15AHalfCloseWhileWaitingIsTakenForGone) {
  TestServer server;
  server.exchange(get("/wait"));
  server.half_close();
  server.receive();
  EXPECT_EQ(server.destroyed, 1);
  EXPECT_THAT(server.log, ElementsAre("/wait 200 aborted"));
  // But not where the answer is ready, nor before the request has come.
  TestServer second;
  second.send(get("/"));
  second.half_close();
  EXPECT_THAT(split_responses(second.receive()), ElementsAre("200 hello"));
  TestServer third;
  third.send(post("/echo", "Content-Length: 5\r\n", "hello"));
  third.half_close();
  EXPECT_THAT(split_responses(third.receive()), ElementsAre("200 hello"));
  EXPECT_TRUE(third.closed);
}

TEST(ServerConnection, ABodyCutShort) {
  TestServer server;
  server.send(post("/echo", "Content-Length: 5\r\n", "he"));
  server.half_close();
  EXPECT_EQ(server.receive(), "");
  EXPECT_TRUE(server.over);
  EXPECT_THAT(server.log, ElementsAre("/echo 200 aborted"));
}

TEST(ServerConnection, P04AResponseCutShortIsSeenToBe) {
  for (bool ends : {true, false}) {
    TestServer server;
    server.short_ends = ends;
    std::string text = server.exchange(get("/short") + get("/"));
    EXPECT_THAT(text, testing::EndsWith("Content-Length: 10\r\n\r\npart"));
    EXPECT_TRUE(server.closed);
    EXPECT_THAT(server.log, ElementsAre("/short 200 aborted"));
  }
  TestServer chunked;
  chunked.short_length = {http::BodyKind::unknown, 0};
  chunked.short_ends = false;
  EXPECT_THAT(chunked.exchange(get("/short")), testing::EndsWith("\r\n\r\n4\r\npart\r\n"));
  EXPECT_TRUE(chunked.closed);
}

TEST(ServerConnection, MoreThanTheHeadSaidIsNotSent) {
  TestServer server;
  server.short_length = http::BodyLength::of(2);
  EXPECT_THAT(answers(server, get("/short") + get("/")), ElementsAre("200 pa", "200 hello"));
}

TEST(ServerConnection, ATaskWithoutAnAnswerIs500) {
  TestServer server;
  server.handlers["/nothing"] = [](http::Exchange&) -> http::Outcome {
    return []() -> base::Task<> { co_return; }();
  };
  EXPECT_THAT(answers(server, get("/nothing") + get("/")),
              ElementsAre("500 500 Internal Server Error\n", "200 hello"));
}

TEST(ServerConnection, KeepaliveRequestsMax) {
  http::Limits limits;
  limits.keepalive_requests_max = 2;
  TestServer server(limits);
  EXPECT_THAT(answers(server, get("/") + get("/") + get("/")),
              ElementsAre("200 hello", "200 hello close"));
  EXPECT_TRUE(server.closed);
}

TEST(ServerConnection, DrainFinishesWhatIsUnderWay) {
  TestServer server;
  server.exchange(get("/wait"));
  server.connection->drain();
  EXPECT_EQ(server.receive(), "");
  EXPECT_FALSE(server.closed);
  server.gate.notify();
  EXPECT_THAT(split_responses(server.receive()), ElementsAre("200 waited close"));
  EXPECT_TRUE(server.closed);
  TestServer idle;
  idle.exchange(get("/"));
  idle.connection->drain();
  idle.receive();
  EXPECT_TRUE(idle.closed);
  EXPECT_TRUE(idle.over);
}

TEST(ServerConnection, InformationalOnlyFor11) {
  TestServer server;
  server.handlers["/hints"] = [](http::Exchange& exchange) {
    http::Fields fields;
    fields.add(http::FieldName::link, "</a.css>; rel=preload");
    exchange.inform(103, fields);
    exchange.respond(204);
    return http::Outcome();
  };
  std::string text = server.exchange(get("/hints"));
  EXPECT_THAT(text, StartsWith("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                               "HTTP/1.1 204 No Content\r\n"));
  EXPECT_THAT(text, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(server.exchange("GET /hints HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 204 "));
}

TEST(ServerConnection, CloseDuringAnExchange) {
  TestServer server;
  server.exchange(get("/wait"));
  server.connection->close();
  EXPECT_THAT(server.log, ElementsAre("/wait 200 aborted"));
  server.loop.dispose(std::move(server.connection));
  server.turn();
  EXPECT_EQ(server.destroyed, 1);
}

}  // namespace
}  // namespace http1
