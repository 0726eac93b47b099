// Upgrades through the proxy: rows P17, S24, S25, S26 of the attack catalogue.

#include "proxy/proxy_fixture.h"

namespace proxy {
namespace {

using std::chrono::milliseconds;

const std::string kKey = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
const std::string kUpgrade =
    "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\n" +
    kKey + "\r\n";
const std::string kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

class TunnelTest : public ProxyTest {
 protected:
  // An established tunnel.
  void open(const std::string& glued = "") {
    if (handler == nullptr) start();
    client = &request(kUpgrade);
    origin = &accepted(origins[0]->peers.size());
    seen = receive(*origin);
    origin->send(kSwitch + glued);
    response = receive(**client, "\r\n\r\n" + glued);
  }
  Client* client = nullptr;
  io::Peer* origin = nullptr;
  std::string response;
};

TEST_F(TunnelTest, P17_BytesPassBothWaysAfter101) {
  open();
  EXPECT_NE(seen.find("\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"), std::string::npos)
      << seen;
  EXPECT_NE(seen.find(kKey), std::string::npos);
  EXPECT_TRUE(response.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << response;
  EXPECT_NE(response.find("\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"), std::string::npos)
      << response;
  EXPECT_NE(response.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
            std::string::npos);
  EXPECT_EQ(response.find("Content-Length"), std::string::npos);
  (*client)->send("ping");
  EXPECT_EQ(receive(*origin, "ping"), "ping");
  origin->send("pong");
  EXPECT_EQ(receive(**client, "pong"), "pong");
}

TEST_F(TunnelTest, P17_AFrameGluedTo101IsKept) {
  open("first frame");
  EXPECT_TRUE(response.ends_with("\r\n\r\nfirst frame")) << response;
}

TEST_F(TunnelTest, P17_TheClientMayEndFirst) {
  open();
  (*client)->send("last words");
  (*client)->end();
  EXPECT_EQ(receive_all(*origin), "last words");
  origin->send("goodbye");
  origin->close();
  EXPECT_EQ(receive_all(**client), "goodbye");
  ASSERT_TRUE(finished());
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(TunnelTest, P17_TheOriginMayEndFirst) {
  open();
  origin->send("goodbye");
  origin->end();
  EXPECT_EQ(receive_all(**client), "goodbye");
  (*client)->send("still here");
  EXPECT_EQ(receive(*origin, "still here"), "still here");
  (*client)->close();
  EXPECT_TRUE(ended(*origin));
  ASSERT_TRUE(finished());
}

TEST_F(TunnelTest, P17_AResetOnEitherSideEndsBoth) {
  open();
  origin->reset();
  receive_all(**client);
  open();
  (*client)->reset();
  EXPECT_TRUE(ended(*origin));
}

TEST_F(TunnelTest, IdleTunnelsEnd) {
  group_options.tunnel_idle_timeout = milliseconds(50);
  open();
  EXPECT_TRUE(ended(**client));
  EXPECT_TRUE(ended(*origin));
}

TEST_F(TunnelTest, WhatMovesInOneDirectionKeepsItOpen) {
  group_options.tunnel_idle_timeout = milliseconds(200);
  open();
  const io::Time end = io::Clock::now() + milliseconds(600);
  io::Time next{};
  ASSERT_TRUE(until([&] {
    if (io::Clock::now() >= next) {
      (*client)->send("x");
      next = io::Clock::now() + milliseconds(20);
    }
    origin->receive();
    EXPECT_FALSE(origin->ended());
    return io::Clock::now() >= end || origin->ended();
  }));
}

TEST_F(TunnelTest, HalfClosedTunnelsHaveLessTime) {
  group_options.idle_timeout = milliseconds(50);
  open();
  origin->end();
  EXPECT_EQ(receive_all(**client), "");
  EXPECT_TRUE(ended(*origin));
  ASSERT_TRUE(finished());
}

TEST_F(TunnelTest, AnyProtocolMayBeSwitchedTo) {
  start();
  Client& asking =
      request("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo/1\r\n\r\n");
  io::Peer& answering = accepted();
  EXPECT_NE(receive(answering).find("\r\nUpgrade: echo/1\r\n"), std::string::npos);
  answering.send("HTTP/1.1 101 Fine\r\nConnection: upgrade\r\nUpgrade: echo/1\r\n\r\n");
  EXPECT_TRUE(receive(*asking).starts_with("HTTP/1.1 101"));
}

// S24: any other status keeps HTTP, and what the client has sent behind its request is a request.
TEST_F(TunnelTest, S24_WithoutA101TheNextBytesAreARequest) {
  start();
  Client& asking = request(kUpgrade + get("/next"));
  io::Peer& answering = accepted();
  const std::string first = receive(answering);
  EXPECT_EQ(first.find("/next"), std::string::npos);
  answering.send(ok("no"));
  EXPECT_TRUE(receive(*asking, "no").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(receive(answering).starts_with("GET /next HTTP/1.1\r\n"));
  answering.send(ok("yes"));
  EXPECT_TRUE(receive(*asking, "yes").starts_with("HTTP/1.1 200"));
}

TEST_F(TunnelTest, S24_A200IsNoUpgrade) {
  start();
  Client& asking = request(kUpgrade);
  receive(accepted());
  accepted().send(
      "HTTP/1.1 200 OK\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: "
      "2\r\n\r\nok");
  const std::string came = receive(*asking, "ok");
  EXPECT_EQ(came.find("Upgrade"), std::string::npos) << came;
  asking->send(get("/2"));
  EXPECT_TRUE(receive(accepted()).starts_with("GET /2 "));
}

TEST_F(TunnelTest, S24_OnlyGetWithoutABodyAndOnlyWithConnectionUpgrade) {
  const std::string fields = "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" + kKey;
  const std::vector<std::string> requests = {
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n" + fields +
          "Content-Length: 1\r\n\r\nx",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n" + fields +
          "Content-Length: 1\r\n\r\nx",
      "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\nConnection: upgrade\r\n" + fields + "\r\n",
  };
  start();
  for (const std::string& head : requests) {
    roundtrip(head, ok(), 0, "ok");
    EXPECT_EQ(seen.find("Upgrade:"), std::string::npos) << seen;
    EXPECT_EQ(seen.find("upgrade"), std::string::npos) << seen;
  }
}

TEST_F(TunnelTest, UpgradesMayBeOff) {
  options.upgrade = false;
  start();
  roundtrip(kUpgrade, ok(), 0, "ok");
  EXPECT_EQ(seen.find("Upgrade:"), std::string::npos) << seen;
}

// S25: HTTP/2 is not switched to; nor is TLS, which would take the bytes out of sight.
TEST_F(TunnelTest, S25_H2cAndTlsAreNotPassedOn) {
  start();
  for (const char* protocol : {"h2c", "HTTP/2.0", "TLS/1.0"}) {
    roundtrip("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: " +
                  std::string(protocol) + "\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n",
              ok(), 0, "ok");
    EXPECT_EQ(seen.find("Upgrade"), std::string::npos) << seen;
    EXPECT_EQ(seen.find("HTTP2"), std::string::npos) << seen;
  }
}

TEST_F(TunnelTest, S26_AnotherVersionOfWebSocketIs426) {
  start();
  Client& asking = request(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 777\r\n\r\n" +
      get("/next"));
  const std::string came = receive(*asking, "Required\n");
  EXPECT_TRUE(came.starts_with("HTTP/1.1 426 ")) << came;
  EXPECT_NE(came.find("Sec-WebSocket-Version: 13\r\n"), std::string::npos);
  EXPECT_NE(came.find("Upgrade: websocket\r\n"), std::string::npos);
  // HTTP goes on.
  EXPECT_TRUE(receive(accepted()).starts_with("GET /next "));
}

TEST_F(TunnelTest, S26_A101ToSomethingElseIs502) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
  };
  group_options.failures.count = 0;
  start();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_TRUE(roundtrip(kUpgrade, answers[i], i).starts_with("HTTP/1.1 502")) << answers[i];
    EXPECT_TRUE(ended(accepted(i)));
  }
}

TEST_F(TunnelTest, ASlowClientHoldsATunnelsOriginBack) {
  open();
  const std::string block(1 << 20, 'x');
  std::size_t taken = 0;
  std::size_t before_last = 1;
  while (taken != before_last) {
    before_last = taken;
    for (int i = 0; i < 100; ++i) {
      taken += origin->send_some(block);
      loop.turn({});
    }
  }
  EXPECT_LT(taken, 24U << 20);
}

}  // namespace
}  // namespace proxy
