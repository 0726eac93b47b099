// Origins over TLS: row T08 of the attack catalogue.

#include "proxy/proxy_fixture.h"
#include "tls/server_layer.h"
#include "tls/test_certificates.h"
#include "tls/worker.h"

namespace proxy {
namespace {

using tls::testing::Wanted;

class TlsOriginTest : public ProxyTest {
 protected:
  struct Connection {
    io::RecordingUser user;
    io::Stream::Pointer stream;
    tls::ServerLayer* layer = nullptr;
  };

  TlsOriginTest() { ca = folder.write("ca.pem", authority.certificate_pem()); }
  void TearDown() override {
    ProxyTest::TearDown();
    connections.clear();
    loop.turn({});
  }

  // One origin at localhost's address with a certificate of these names.
  void start_tls(const std::string& names, bool client_certificates = false) {
    auto files = folder.write("origin", authority.issue({.subject = "origin", .names = names}));
    tls::ContextOptions wanted;
    wanted.defaults.certificates.push_back(files);
    if (client_certificates) {
      wanted.defaults.client_auth.mode = tls::ClientAuthMode::kRequire;
      wanted.defaults.client_auth.ca = ca;
    }
    auto made = tls::ServerContext::create(wanted, std::make_shared<tls::TicketKeys>(time(nullptr)),
                                           time(nullptr));
    ASSERT_TRUE(made) << made.error();
    server = *made;
    upstream::EndpointOptions secure = endpoint(add_origin().address());
    secure.id = "https://app.test";
    secure.host = "app.test";
    secure.tls = true;
    start({secure});
  }
  // The origin's n-th connection, its handshake begun.
  Connection& secure_accepted(std::size_t nth = 0) {
    io::Peer& peer = accepted(nth);
    connections.push_back(std::make_unique<Connection>());
    Connection& connection = *connections.back();
    connection.stream = io::Stream::adopt(loop, peer.release(), base::Address::ipv4(0x7f000001, 1));
    connection.stream->set_user(&connection.user);
    auto layer = std::make_unique<tls::ServerLayer>(server, worker);
    connection.layer = layer.get();
    connection.stream->set_layer(std::move(layer));
    return connection;
  }
  std::string response_to(Client& client) { return receive(*client).substr(0, 12); }
  // A whole exchange on a connection.
  void answer(Connection& connection, Client& client, const std::string& bytes = ok()) {
    ASSERT_TRUE(until([&] { return connection.user.bytes.ends_with("\r\n\r\n"); }));
    connection.stream->write(bytes);
    EXPECT_EQ(response_to(client), "HTTP/1.1 200");
  }

  tls::testing::Folder folder;
  tls::testing::Authority authority;
  std::string ca;
  std::shared_ptr<const tls::ServerContext> server;
  std::shared_ptr<tls::Worker> worker = std::make_shared<tls::Worker>(&loop);
  std::vector<std::unique_ptr<Connection>> connections;
};

TEST_F(TlsOriginTest, T08_VerifiesTheNameAndSendsItAsSni) {
  group_options.tls.ca = ca;
  start_tls("DNS:app.test");
  Client& client = request(get());
  Connection& connection = secure_accepted();
  answer(connection, client);
  EXPECT_EQ(connection.layer->server_name(), "app.test");
  EXPECT_EQ(pools.idle(), 1U);
}

TEST_F(TlsOriginTest, SessionsAreResumed) {
  group_options.tls.ca = ca;
  start_tls("DNS:app.test");
  Client& first = request(get());
  answer(secure_accepted(), first);
  // The kept connection is closed by the origin; each next handshake is a short one.
  for (std::size_t i = 1; i < 5; ++i) {
    connections.back()->stream->end();
    ASSERT_TRUE(until([&] { return pools.idle() == 0; }));
    Client& next = request(get());
    Connection& connection = secure_accepted(i);
    answer(connection, next);
    EXPECT_TRUE(connection.layer->resumed()) << i;
  }
}

TEST_F(TlsOriginTest, T08_AnotherNameIs502) {
  group_options.tls.ca = ca;
  start_tls("DNS:other.test");
  Client& client = request(get());
  secure_accepted();
  EXPECT_EQ(response_to(client), "HTTP/1.1 502");
  ASSERT_TRUE(finished());
  // What the operator needs: which origin, and which name was expected of it.
  EXPECT_EQ(
      reports[0].error_detail,
      origins[0]->address().to_string() +
          ": TLS failed: certificate verify failed: hostname mismatch, expected \"app.test\"");
  EXPECT_EQ(connections[0]->user.bytes, "") << "nothing is sent before the name is verified";
}

TEST_F(TlsOriginTest, T08_AnUnknownAuthorityIs502) {
  group_options.tls.ca =
      folder.write("other.pem", tls::testing::Authority("Other").certificate_pem());
  start_tls("DNS:app.test");
  Client& client = request(get());
  secure_accepted();
  EXPECT_EQ(response_to(client), "HTTP/1.1 502");
  EXPECT_EQ(connections[0]->user.bytes, "");
}

TEST_F(TlsOriginTest, T08_VerificationMayBeOffAndTheNameAnother) {
  group_options.tls.verify = false;
  group_options.tls.server_name = "inside.test";
  start_tls("DNS:other.test");
  Client& client = request(get());
  Connection& connection = secure_accepted();
  answer(connection, client);
  EXPECT_EQ(connection.layer->server_name(), "inside.test");
}

TEST_F(TlsOriginTest, ShowsItsOwnCertificate) {
  group_options.tls.ca = ca;
  auto own = folder.write("own", authority.issue({.subject = "webship"}));
  group_options.tls.certificate = own.certificate;
  group_options.tls.key = own.key;
  start_tls("DNS:app.test", true);
  Client& client = request(get());
  Connection& connection = secure_accepted();
  answer(connection, client);
  EXPECT_TRUE(connection.layer->client_certificate().verified);
}

// CVE-2026-1642: what comes before the handshake is not a response.
TEST_F(TlsOriginTest, T08_CleartextBeforeTheHandshakeIs502) {
  group_options.tls.ca = ca;
  start_tls("DNS:app.test");
  Client& client = request(get());
  accepted().send(ok("poison"));
  const std::string came = receive(*client);
  EXPECT_EQ(came.substr(0, 12), "HTTP/1.1 502");
  EXPECT_EQ(came.find("poison"), std::string::npos);
}

// RFC 9112 9.8: without close_notify nobody knows that the body is whole.
TEST_F(TlsOriginTest, T08_ABodyThatEndsWithoutCloseNotifyIsCut) {
  group_options.tls.ca = ca;
  start_tls("DNS:app.test");
  const std::string unframed = "HTTP/1.1 200 OK\r\n\r\nhalf";
  Client& client = request(get());
  Connection& connection = secure_accepted();
  answer(connection, client, unframed);
  ASSERT_TRUE(until([&] { return connection.stream->queued() == 0; }));
  connection.stream->close();
  EXPECT_EQ(receive_all(*client).find("0\r\n\r\n"), std::string::npos);
  ASSERT_TRUE(finished());
  EXPECT_TRUE(reports[0].aborted);
  // With it, it is.
  Client& next = request(get());
  Connection& good = secure_accepted(1);
  ASSERT_TRUE(until([&] { return good.user.bytes.ends_with("\r\n\r\n"); }));
  good.stream->write(unframed);
  good.stream->end();
  EXPECT_NE(receive(*next, "0\r\n\r\n").find("half"), std::string::npos);
}

}  // namespace
}  // namespace proxy
