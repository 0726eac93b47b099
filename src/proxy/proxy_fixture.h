// For tests of the proxy: clients and origins as bare sockets, and between them a server connection
// whose service is a proxy handler, all on one loop.
//
// Test code only. An origin's answers are written by the test, byte by byte where it matters.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "http/date_cache.h"
#include "http/exchange_pool.h"
#include "http1/server_connection.h"
#include "io/origin_fixture.h"
#include "io/stream_fixture.h"
#include "proxy/proxy_handler.h"
#include "upstream/dns_fixture.h"
#include "upstream/registry.h"

namespace proxy {

// What was known of an exchange when it was over.
struct Report {
  int status = 0;
  int upstream_status = 0;
  int attempts = 0;
  std::string upstream_address;
  std::string error_detail;
  bool aborted = false;
  http::Timing timing;
};

class ProxyTest : public testing::Test, public http::Service {
 protected:
  // A client's end, and the server connection that serves it.
  struct Client final : http1::ServerConnection::Owner {
    explicit Client(ProxyTest& owner) : test(owner) {}
    void on_closed(http1::ServerConnection&) override { test.loop.dispose(std::move(connection)); }
    io::Peer& operator*() const { return *peer; }
    io::Peer* operator->() const { return peer.get(); }

    ProxyTest& test;
    http::ConnectionInfo info;
    std::unique_ptr<io::Peer> peer;
    std::unique_ptr<http1::ServerConnection> connection;
  };

  void TearDown() override {
    // Tasks end before what they use.
    for (auto& client : clients) client->connection.reset();
    loop.turn({});
    handler.reset();
  }

  // --- what is served ---
  upstream::EndpointOptions endpoint(const base::Address& address) {
    upstream::EndpointOptions result;
    result.id = "http://" + address.to_string();
    result.address = address;
    if (address.is_ip()) {
      result.host = address.ip_string();
      result.port = address.port();
    }
    return result;
  }
  // The handler over these endpoints; without any: over one new origin.
  void start(std::vector<upstream::EndpointOptions> endpoints = {}) {
    group_options.name = "app";
    group_options.endpoints = std::move(endpoints);
    if (group_options.endpoints.empty()) {
      group_options.endpoints.push_back(endpoint(add_origin().address()));
    }
    auto built = upstream::Registry::build({&group_options, 1}, nullptr, 0);
    ASSERT_TRUE(built) << built.error();
    registry = *built;
    group = registry->find("app");
    handler =
        std::make_unique<ProxyHandler>(options, group, Services{loop, pools, pseudonym}, chooser);
  }
  io::ListeningPeer& add_origin() {
    origins.push_back(std::make_unique<io::ListeningPeer>());
    return *origins.back();
  }

  // --- clients ---
  Client& connect(int send_buffer = 0) {
    const auto [server, bare] = io::tcp_pair(send_buffer);
    clients.push_back(std::make_unique<Client>(*this));
    Client& client = *clients.back();
    client.peer = std::make_unique<io::Peer>(bare);
    client.info = info;
    auto stream = io::Stream::adopt(loop, server, client.info.peer);
    client.connection =
        http1::ServerConnection::create(context, client.info, std::move(stream), client);
    return client;
  }
  // Sends it on a new connection.
  Client& request(const std::string& head) {
    Client& client = connect();
    client->send(head);
    return client;
  }
  bool until(const std::function<bool()>& done) {
    return io::turn_until(loop, [&] {
      dns.serve();
      for (auto& origin : origins) origin->accept();
      return done();
    });
  }
  // Some turns in which nothing is expected to happen.
  void idle() {
    for (int i = 0; i < 5; ++i) loop.turn({});
  }

  // --- what arrives ---
  // The next connection of an origin, once there is one. `nth` counts from 0.
  io::Peer& accepted(std::size_t nth = 0, std::size_t origin = 0) {
    EXPECT_TRUE(until([&] { return origins[origin]->peers.size() > nth; }));
    return *origins[origin]->peers.at(nth);
  }
  // What the peer has received by the time that it ends with (or contains) `mark`.
  std::string receive(io::Peer& peer, const std::string& mark = "\r\n\r\n") {
    EXPECT_TRUE(until([&] {
      peer.receive();
      return peer.received().find(mark) != std::string::npos || peer.ended() || peer.failed();
    })) << "came: "
        << peer.received();
    return peer.take();
  }
  // All until the peer's connection has ended.
  std::string receive_all(io::Peer& peer) {
    EXPECT_TRUE(until([&] {
      peer.receive();
      return peer.ended() || peer.failed() != 0;
    })) << "came: "
        << peer.received();
    return peer.take();
  }
  bool ended(io::Peer& peer) {
    return until([&] {
      peer.receive();
      return peer.ended() || peer.failed() != 0;
    });
  }
  bool finished(std::size_t count = 1) {
    return until([&] { return reports.size() >= count; });
  }
  // One exchange over a new client connection: the origin's n-th connection gets the request and
  // answers. What the client received, once it has `mark`.
  std::string roundtrip(const std::string& head, const std::string& answer, std::size_t nth = 0,
                        const std::string& mark = "\r\n\r\n") {
    Client& client = request(head);
    io::Peer& origin = accepted(nth);
    seen = receive(origin);
    origin.send(answer);
    return receive(*client, mark);
  }

  // --- http::Service ---
  http::Outcome serve(http::Exchange& exchange) override {
    if (before) before(exchange);
    return handler->handle(exchange);
  }
  void finished(http::Exchange& exchange) override {
    Report report;
    report.status = exchange.response().status;
    report.upstream_status = exchange.upstream_status;
    report.attempts = exchange.upstream_attempts;
    report.upstream_address = exchange.upstream_address;
    report.error_detail = exchange.error_detail;
    report.aborted = exchange.aborted();
    report.timing = exchange.timing;
    reports.push_back(report);
  }
  void refused(const http::ConnectionInfo&, int status, std::string_view,
               std::string_view) override {
    refusals.push_back(status);
  }

  io::Loop loop;
  upstream::DnsFixture dns;
  upstream::Resolver resolver{loop, dns.settings()};
  base::Random random{{1, 2, 3, 4}};
  Pools pools{loop, resolver, random};
  Pseudonym pseudonym{0x1234abcd};
  Options options;
  upstream::GroupOptions group_options;
  std::shared_ptr<upstream::Registry> registry;
  std::shared_ptr<upstream::Group> group;
  std::shared_ptr<upstream::Chooser> chooser;  // instead of round robin
  std::unique_ptr<ProxyHandler> handler;
  http::Limits limits;
  http::ExchangePool exchanges{{1, 2, 3, 4}};
  http::DateCache dates;
  http1::ServerContext context{*this, limits, exchanges, dates};
  http::ConnectionInfo info{.peer = base::Address::ipv4(0xc0000207, 4711),
                            .local = base::Address::ipv4(0x7f000001, 80),
                            .listener = "http"};
  std::function<void(http::Exchange&)> before;  // what filters would do
  std::vector<std::unique_ptr<io::ListeningPeer>> origins;
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<Report> reports;
  std::vector<int> refusals;
  std::string seen;  // by the origin, in roundtrip()
};

inline std::string get(const std::string& target = "/", const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: example.com\r\n" + fields + "\r\n";
}
inline std::string ok(const std::string& body = "ok", const std::string& fields = "") {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}

}  // namespace proxy
