// The proxy between bare clients and origins: what passes, and how connections are used.

#include "proxy/proxy_handler.h"

#include <algorithm>

#include "proxy/proxy_fixture.h"

namespace proxy {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(ProxyTest, PassesARequestAndItsResponse) {
  start();
  const std::string response = roundtrip(get("/a%20b?c=d&e", "X-One: 1\r\nAccept: */*\r\n"),
                                         ok("hello", "X-Two: 2\r\n"), 0, "hello");
  EXPECT_EQ(seen,
            "GET /a%20b?c=d&e HTTP/1.1\r\n"
            "Host: example.com\r\n"
            "X-One: 1\r\n"
            "Accept: */*\r\n"
            "X-Forwarded-For: 192.0.2.7\r\n"
            "X-Real-IP: 192.0.2.7\r\n"
            "X-Forwarded-Proto: http\r\n"
            "X-Forwarded-Host: example.com\r\n"
            "Via: 1.1 webship-1234abcd\r\n"
            "\r\n");
  EXPECT_TRUE(response.starts_with("HTTP/1.1 200 OK\r\n")) << response;
  EXPECT_NE(response.find("X-Two: 2\r\n"), std::string::npos);
  EXPECT_NE(response.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(response.ends_with("\r\n\r\nhello"));
  ASSERT_EQ(reports.size(), 1U);
  EXPECT_EQ(reports[0].status, 200);
  EXPECT_EQ(reports[0].upstream_status, 200);
  EXPECT_EQ(reports[0].attempts, 1);
  EXPECT_EQ(reports[0].upstream_address, origins[0]->address().to_string());
}

TEST_F(ProxyTest, KeepsConnectionsAndUsesTheLatestFirst) {
  start();
  roundtrip(get("/1"), ok("1"), 0, "\r\n\r\n1");
  roundtrip(get("/2"), ok("2"), 0, "\r\n\r\n2");
  EXPECT_EQ(seen.substr(0, 6), "GET /2");
  // Two at once need two connections.
  Client& first = request(get("/3"));
  receive(accepted(0));
  Client& second = request(get("/4"));
  receive(accepted(1));
  accepted(0).send(ok("three"));
  receive(*first, "three");
  accepted(1).send(ok("four"));
  receive(*second, "four");
  EXPECT_EQ(pools.idle(), 2U);
  request(get("/5"));
  EXPECT_EQ(receive(accepted(1)).substr(0, 6), "GET /5");
  EXPECT_EQ(origins[0]->peers.size(), 2U);
}

TEST_F(ProxyTest, KeptConnectionsCloseAfterTheirTime) {
  group_options.keepalive.idle_timeout = milliseconds(30);
  start();
  roundtrip(get(), ok(), 0, "ok");
  EXPECT_EQ(pools.idle(), 1U);
  EXPECT_TRUE(ended(accepted(0)));
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, KeepsNoMoreThanTheLimitAndClosesTheOldest) {
  group_options.keepalive.idle = 1;
  start();
  request(get("/1"));
  receive(accepted(0));
  Client& second = request(get("/2"));
  receive(accepted(1));
  accepted(0).send(ok());
  ASSERT_TRUE(finished(1));
  accepted(1).send(ok());
  receive(*second, "ok");
  EXPECT_TRUE(ended(accepted(0)));
  EXPECT_EQ(pools.idle(), 1U);
}

TEST_F(ProxyTest, ClosesAfterItsNumberOfRequests) {
  group_options.keepalive.requests = 2;
  start();
  roundtrip(get("/1"), ok(), 0, "ok");
  EXPECT_EQ(pools.idle(), 1U);
  roundtrip(get("/2"), ok(), 0, "ok");
  EXPECT_TRUE(ended(accepted(0)));
}

TEST_F(ProxyTest, ClosesAtItsAge) {
  group_options.keepalive.age = milliseconds(1);
  start();
  Client& client = request(get());
  receive(accepted(0));
  const io::Time old = io::Clock::now() + milliseconds(2);
  ASSERT_TRUE(until([&] { return io::Clock::now() > old; }));
  accepted(0).send(ok());
  receive(*client, "ok");
  EXPECT_TRUE(ended(accepted(0)));
}

TEST_F(ProxyTest, P12_TheOriginsKeepAliveShortensTheTime) {
  start();
  roundtrip(get(), ok("ok", "Keep-Alive: timeout=1\r\n"), 0, "ok");
  EXPECT_TRUE(ended(accepted(0)));
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, ConnectionsOfEndpointsThatLeftAreClosed) {
  start();
  roundtrip(get(), ok(), 0, "ok");
  group->remove(group_options.endpoints[0].id);
  pools.drop_left();
  EXPECT_TRUE(ended(accepted(0)));
}

TEST_F(ProxyTest, StreamsARequestsBodyOfKnownLength) {
  start();
  Client& client = request("POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234");
  io::Peer& origin = accepted();
  std::string came = receive(origin, "01234");
  EXPECT_NE(came.find("\r\nContent-Length: 10\r\n"), std::string::npos) << came;
  EXPECT_EQ(came.find("Transfer-Encoding"), std::string::npos);
  client->send("56789");
  receive(origin, "56789");
  origin.send(ok("done"));
  receive(*client, "done");
  EXPECT_EQ(pools.idle(), 1U);
}

// S27: trailers pass, but not those that frame, route or authenticate.
TEST_F(ProxyTest, S27_StreamsChunkedBodiesBothWaysWithTrailers) {
  start();
  Client& client = request(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;ext=1\r\nhello\r\n0\r\nX-Sum: 7\r\nContent-Length: 3\r\nAuthorization: no\r\n\r\n");
  io::Peer& origin = accepted();
  const std::string came = receive(origin, "X-Sum: 7\r\n\r\n");
  EXPECT_NE(came.find("\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 7\r\n\r\n"), std::string::npos) << came;
  EXPECT_EQ(came.find("Authorization"), std::string::npos);
  origin.send(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Check\r\n\r\n"
      "3\r\nabc\r\n0\r\nX-Check: 1\r\nSet-Cookie: a=b\r\n\r\n");
  const std::string response = receive(*client, "X-Check: 1\r\n\r\n");
  EXPECT_NE(response.find("\r\n\r\n3\r\nabc\r\n0\r\nX-Check: 1\r\n\r\n"), std::string::npos)
      << response;
  EXPECT_EQ(pools.idle(), 1U);
}

TEST_F(ProxyTest, BodiesThatEndWithTheConnectionAreEndedProperly) {
  start();
  Client& client = request(get());
  io::Peer& origin = accepted();
  receive(origin);
  origin.send("HTTP/1.1 200 OK\r\n\r\nall of it");
  origin.close();
  const std::string response = receive(*client, "\r\n0\r\n\r\n");
  EXPECT_NE(response.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(response.find("9\r\nall of it\r\n0\r\n\r\n"), std::string::npos) << response;
}

TEST_F(ProxyTest, EventsLeaveAtOnce) {
  start();
  Client& client = request(get("/events"));
  io::Peer& origin = accepted();
  receive(origin);
  origin.send(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "9\r\ndata: 1\n\n\r\n");
  EXPECT_NE(receive(*client, "data: 1\n\n").find("200 OK"), std::string::npos);
  origin.send("9\r\ndata: 2\n\n\r\n");
  receive(*client, "data: 2\n\n");
}

TEST_F(ProxyTest, EmptyHostOfHttp10BecomesTheEndpoints) {
  start();
  roundtrip("GET / HTTP/1.0\r\n\r\n", ok(), 0, "ok");
  EXPECT_NE(seen.find("\r\nHost: " + origins[0]->address().to_string() + "\r\n"), std::string::npos)
      << seen;
  EXPECT_NE(seen.find("Via: 1.0 webship-"), std::string::npos);
}

// S17: the target's authority is what counts, for routing and forwarded.
TEST_F(ProxyTest, S17_AbsoluteFormDecidesTheForwardedHost) {
  start();
  roundtrip("GET http://inside.test:81/x?y HTTP/1.1\r\nHost: outside.test\r\n\r\n", ok(), 0, "ok");
  EXPECT_TRUE(seen.starts_with("GET /x?y HTTP/1.1\r\nHost: inside.test:81\r\n")) << seen;
  EXPECT_EQ(seen.find("outside.test"), std::string::npos);
}

TEST_F(ProxyTest, HostMayBeATemplate) {
  options.host = base::Template::verbatim("origin.internal");
  start();
  const std::string response =
      roundtrip(get(), ok("ok", "Location: http://origin.internal/next\r\n"), 0, "ok");
  EXPECT_NE(seen.find("\r\nHost: origin.internal\r\n"), std::string::npos);
  EXPECT_NE(seen.find("X-Forwarded-Host: example.com\r\n"), std::string::npos);
  EXPECT_NE(response.find("Location: http://example.com/next\r\n"), std::string::npos) << response;
}

TEST_F(ProxyTest, StrippedPrefixesComeBackInLocationAndCookies) {
  start();
  before = [](http::Exchange& exchange) {
    exchange.stripped_prefix = "/app";
    exchange.request().raw_path = "/x";
  };
  const std::string response =
      roundtrip(get("/app/x?q"),
                ok("ok", "Location: /login\r\nSet-Cookie: a=b; Path=/; Secure\r\n"), 0, "ok");
  EXPECT_TRUE(seen.starts_with("GET /x?q HTTP/1.1\r\n")) << seen;
  EXPECT_NE(response.find("\r\nLocation: /app/login\r\n"), std::string::npos) << response;
  EXPECT_NE(response.find("Path=/app"), std::string::npos) << response;
}

TEST_F(ProxyTest, BuffersARequestAndSaysItsLength) {
  options.buffer_request = 1024;
  start();
  Client& client =
      request("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  idle();
  origins[0]->accept();
  EXPECT_TRUE(origins[0]->peers.empty()) << "not before the body is there";
  client->send("3\r\ndef\r\n0\r\n\r\n");
  const std::string came = receive(accepted(), "abcdef");
  EXPECT_NE(came.find("Content-Length: 6\r\n"), std::string::npos) << came;
  EXPECT_EQ(came.find("chunked"), std::string::npos);
}

TEST_F(ProxyTest, WhatExceedsTheRequestBufferStreams) {
  options.buffer_request = 4;
  start();
  Client& client = request("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n012345");
  io::Peer& origin = accepted();
  receive(origin, "012345");
  client->send("6789ab");
  receive(origin, "6789ab");
  origin.send(ok("fine"));
  receive(*client, "fine");
}

TEST_F(ProxyTest, ReadsAResponseAheadOfASlowClient) {
  options.buffer_response = 8 << 20;
  start();
  Client& client = connect(4096);
  client->send(get());
  io::Peer& origin = accepted();
  receive(origin);
  const std::string body(4 << 20, 'x');
  const std::string answer = ok(body);
  std::size_t sent = 0;
  ASSERT_TRUE(
      until([&] { return (sent += origin.send_some(answer.substr(sent))) == answer.size(); }));
  // The origin is free though the client has read nothing.
  ASSERT_TRUE(until([&] { return pools.idle() == 1; }));
  std::size_t got = 0;
  ASSERT_TRUE(until([&] {
    client->receive();
    got += client->take().size();
    return got >= body.size();
  }));
  ASSERT_TRUE(finished());
  EXPECT_EQ(reports[0].status, 200);
}

TEST_F(ProxyTest, TakesTurnsAmongEndpoints) {
  start({endpoint(add_origin().address()), endpoint(add_origin().address())});
  for (int i = 0; i < 4; ++i) request(get());
  ASSERT_TRUE(
      until([&] { return origins[0]->peers.size() == 2 && origins[1]->peers.size() == 2; }));
}

// An endpoint that wakes late: the request waits, the worker doesn't.
class LateChooser final : public upstream::Chooser {
 public:
  explicit LateChooser(std::shared_ptr<upstream::Group>& group) : group_(group) {}
  upstream::Choice choose(const upstream::Selection&) override { return wait(); }
  base::Signal awake;

 private:
  base::Task<upstream::Endpoint*> wait() {
    co_await awake.wait();
    co_return group_->members()->front().endpoint.get();
  }
  std::shared_ptr<upstream::Group>& group_;
};

TEST_F(ProxyTest, AChooserMayTakeItsTime) {
  auto late = std::make_shared<LateChooser>(group);
  chooser = late;
  start();
  Client& client = request(get());
  idle();
  origins[0]->accept();
  EXPECT_TRUE(origins[0]->peers.empty());
  late->awake.notify();
  io::Peer& origin = accepted();
  receive(origin);
  origin.send(ok());
  receive(*client, "ok");
  // And a client that goes away meanwhile takes its request with it.
  Client& impatient = request(get());
  idle();
  impatient->close();
  ASSERT_TRUE(finished(2));
}

// N07: the only endpoint is this proxy itself.
TEST_F(ProxyTest, N07_ALoopEndsAfterABoundedNumberOfPasses) {
  start();
  Client& client = request(get("/round"));
  std::size_t adopted = 0;
  constexpr auto kPasses = static_cast<std::size_t>(kPassesMax);
  ASSERT_TRUE(until([&] {
    for (; adopted < std::min(origins[0]->peers.size(), kPasses); ++adopted) {
      clients.push_back(std::make_unique<Client>(*this));
      Client& self = *clients.back();
      self.info = info;
      auto stream = io::Stream::adopt(loop, origins[0]->peers[adopted]->release(), info.peer);
      self.connection =
          http1::ServerConnection::create(context, self.info, std::move(stream), self);
    }
    client->receive();
    return client->received().find("\r\n\r\n") != std::string::npos;
  }));
  EXPECT_EQ(client->take().substr(0, 12), "HTTP/1.1 508");
  // The client's own request and each pass were served once; the last of them was refused.
  ASSERT_TRUE(finished(kPasses + 1));
  idle();
  EXPECT_EQ(reports.size(), kPasses + 1);
  EXPECT_NE(reports[0].error_detail.find("a loop"), std::string::npos) << reports[0].error_detail;
  // It had its connection already, on which nothing was sent.
  ASSERT_EQ(origins[0]->peers.size(), kPasses + 1);
  io::Peer& unused = *origins[0]->peers.back();
  unused.receive();
  EXPECT_EQ(unused.received(), "");
  EXPECT_FALSE(unused.ended());
}

TEST_F(ProxyTest, ReloadsKeepPoolsOfWhatStays) {
  start();
  roundtrip(get("/1"), ok("1"), 0, "\r\n\r\n1");
  auto before_reload = registry;
  group_options.endpoints.push_back(endpoint(add_origin().address()));
  auto after = upstream::Registry::build({&group_options, 1}, registry.get(), 0);
  ASSERT_TRUE(after);
  registry = *after;
  group = registry->find("app");
  handler = std::make_unique<ProxyHandler>(options, group, Services{loop, pools, pseudonym});
  registry->retire(*before_reload);
  pools.drop_left();
  EXPECT_EQ(pools.idle(), 1U);
  request(get("/2"));
  request(get("/3"));
  EXPECT_FALSE(receive(accepted(0, 0)).empty()) << "over the kept connection";
}

}  // namespace
}  // namespace proxy
