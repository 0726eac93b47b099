// Towards origins: who is trusted under which name, what is shown, what is resumed.

#include "tls/client_layer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tls/test_peers.h"

namespace tls {
namespace {

using testing::ClientEnd;
using testing::exchange;
using ::testing::HasSubstr;
using testing::make_worker;
using testing::ServerEnd;
using testing::Status;

class ClientLayerTest : public testing::TlsTest {
 protected:
  // An origin with this certificate alone.
  void serve(const CertificateFiles& files) {
    options_.defaults.certificates = {files};
    context_ = make(options_);
  }
  struct Result {
    bool established = false;
    bool resumed = false;
    bool verified = false;
    io::Error error;
    std::string server_name;  // as the origin saw it
  };
  Result connect(const ClientOptions& options, std::string_view host) {
    return connect(make_client(options), host, nullptr);
  }
  Result connect(std::shared_ptr<const ClientContext> client_context, std::string_view host,
                 std::shared_ptr<SessionSlot> slot) {
    ServerEnd server(context_, worker_);
    ClientEnd client(std::move(client_context), host, std::move(slot), worker_);
    exchange(client, server);
    Result result{.established = client.layer.established(), .error = client.layer.error()};
    if (!result.established) {
      // Nothing of ours is sent to who could not be verified, and the origin hears of it.
      EXPECT_FALSE(server.layer.established());
      return result;
    }
    result.resumed = client.layer.resumed();
    result.verified = client.layer.server_certificate().verified;
    result.server_name = server.layer.server_name();
    return result;
  }

  ContextOptions options_;
  std::shared_ptr<const ServerContext> context_;
  std::shared_ptr<Worker> worker_ = make_worker();
};

TEST_F(ClientLayerTest, Names_T08) {
  serve(issue("origin", {.subject = "cn.example",
                         .names = "DNS:a.example,DNS:*.w.example,DNS:f*.part.example,"
                                  "IP:127.0.0.1,IP:::1"}));
  for (const char* host : {"a.example", "A.Example", "a.example.", "x.w.example"}) {
    const Result result = connect({}, host);
    EXPECT_TRUE(result.established && result.verified) << host << result.error.text();
  }
  EXPECT_EQ(connect({}, "A.Example").server_name, "a.example");
  for (const char* host : {"127.0.0.1", "::1"}) {
    const Result result = connect({}, host);
    EXPECT_TRUE(result.established) << host << result.error.text();
    EXPECT_EQ(result.server_name, "");  // RFC 6066 3: no addresses
  }
  for (const char* host : {"b.example", "cn.example", "w.example", "y.x.w.example",
                           "foo.part.example", "127.0.0.2", "::2", "xa.example", "a.example.org"}) {
    const Result result = connect({}, host);
    EXPECT_FALSE(result.established) << host;
    EXPECT_EQ(result.error.kind, io::Error::Kind::security);
    EXPECT_THAT(result.error.detail, HasSubstr("mismatch")) << host;
    EXPECT_THAT(result.error.detail, HasSubstr("expected \"" + std::string(host) + '"'));
  }
  // The name that is verified may be another than the one that was resolved.
  EXPECT_TRUE(connect({.server_name = "a.example"}, "10.0.0.1").established);
  const Result other = connect({.server_name = "b.example"}, "a.example");
  EXPECT_FALSE(other.established);
  EXPECT_THAT(other.error.detail, HasSubstr("expected \"b.example\""));
}

TEST_F(ClientLayerTest, NamesThatCannotBeVerified_T08) {
  serve(issue("a.example"));
  for (const std::string& host :
       {std::string(), std::string("."), std::string("a.example\0x", 11), std::string(300, 'a')}) {
    const Result result = connect({}, host);
    EXPECT_FALSE(result.established);
    EXPECT_EQ(result.error.kind, io::Error::Kind::security);
  }
}

// Envoy CVE-2026-47778: what follows a NUL in a name must not be lost on the way.
TEST_F(ClientLayerTest, NulInSubjectAlternativeName_T08) {
  serve(issue("nul",
              {.subject = "nul", .raw_dns_name = std::string("a.example\0.evil.example", 23)}));
  const Result result = connect({}, "a.example");
  EXPECT_FALSE(result.established);
  EXPECT_EQ(result.error.kind, io::Error::Kind::security);
  serve(issue("nul2", {.subject = "nul", .raw_dns_name = std::string("a.example\0", 10)}));
  EXPECT_FALSE(connect({}, "a.example").established);
}

TEST_F(ClientLayerTest, WhomToTrust_T08) {
  serve(issue("a.example"));
  const testing::Authority other("Other CA");
  const std::string other_file = folder_.write("other.pem", other.certificate_pem());
  const Result stranger = connect({.ca = other_file}, "a.example");
  EXPECT_FALSE(stranger.established);
  EXPECT_THAT(stranger.error.detail, HasSubstr("unable to get local issuer certificate"));
  // Only where it was said outright.
  const Result any = connect({.verify = false}, "b.example");
  EXPECT_TRUE(any.established);
  EXPECT_FALSE(any.verified);
  EXPECT_EQ(any.server_name, "b.example");
  serve(issue("old", {.subject = "old", .names = "DNS:a.example", .begins = -7200, .ends = -3600}));
  EXPECT_THAT(connect({}, "a.example").error.detail, HasSubstr("expired"));
  // Signed by itself, and named as the CA.
  const testing::Made self =
      testing::make_certificate({.subject = "self", .names = "DNS:a.example"}, nullptr);
  const CertificateFiles files = folder_.write("self", self);
  serve(files);
  EXPECT_FALSE(connect({}, "a.example").established);
  EXPECT_TRUE(connect({.ca = files.certificate}, "a.example").established);
  // An intermediate CA, named alone.
  const testing::Authority middle("Middle CA", &authority_);
  serve(folder_.write("low", middle.issue({.subject = "low", .names = "DNS:a.example"})));
  EXPECT_FALSE(connect({}, "a.example").established);
  EXPECT_TRUE(connect({.ca = folder_.write("middle.pem", middle.certificate_pem())}, "a.example")
                  .established);
}

// Without `ca` the system's are asked, which don't know our authority.
TEST_F(ClientLayerTest, SystemAuthorities_T08) {
  auto store = system_.store();
  if (!store) {
    EXPECT_THAT(store.error(), HasSubstr("install ca-certificates"));
  }
  serve(issue("a.example"));
  auto made = ClientContext::create({}, {}, system_, time(nullptr));
  ASSERT_EQ(made.has_value(), store.has_value());
  if (made) {
    EXPECT_FALSE(connect(*made, "a.example", nullptr).established);
  }
}

TEST_F(ClientLayerTest, OurCertificate) {
  options_.defaults.client_auth = {.mode = ClientAuthMode::kRequire, .ca = ca_file_};
  serve(issue("a.example"));
  const CertificateFiles mine = folder_.write("mine", authority_.issue({.subject = "mine"}));
  ServerEnd server(context_, worker_);
  ClientEnd client(make_client({.certificate = mine.certificate, .key = mine.key}), "a.example",
                   nullptr, worker_);
  exchange(client, server);
  ASSERT_TRUE(server.layer.established()) << server.layer.error().text();
  EXPECT_EQ(server.layer.client_certificate().subject, "CN=mine");
  // Without it TLS 1.3 tells us only after our side is done.
  ServerEnd strict(context_, worker_);
  ClientEnd without(make_client({}), "a.example", nullptr, worker_);
  exchange(without, strict);
  EXPECT_FALSE(strict.layer.established());
  EXPECT_EQ(without.status, Status::failed);
  EXPECT_THAT(without.layer.error().detail, HasSubstr("certificate required"));
}

TEST_F(ClientLayerTest, FilesThatDontFit) {
  const auto error_of = [&](const ClientOptions& options) {
    const auto made = ClientContext::create(options, {}, system_, time(nullptr));
    return made ? std::string() : made.error();
  };
  EXPECT_THAT(error_of({.ca = folder_.path("none.pem")}), HasSubstr("can't read the CA file"));
  const CertificateFiles one = issue("one");
  const CertificateFiles two = issue("two");
  EXPECT_THAT(error_of({.ca = ca_file_, .certificate = one.certificate, .key = two.key}),
              HasSubstr("does not belong"));
}

TEST_F(ClientLayerTest, SessionsResume) {
  serve(issue("origin", {.subject = "o", .names = "DNS:a.example,DNS:b.example"}));
  const auto client_context = make_client({});
  const auto slot = std::make_shared<SessionSlot>();
  EXPECT_FALSE(connect(client_context, "a.example", slot).resumed);
  EXPECT_FALSE(slot->empty());
  for (int i = 0; i < 3; ++i) {
    const Result again = connect(client_context, "a.example", slot);
    EXPECT_TRUE(again.resumed);
    EXPECT_TRUE(again.verified);
  }
  // What was verified for one name, or by another's CAs, is not for this one.
  EXPECT_FALSE(connect(client_context, "b.example", slot).resumed);
  EXPECT_TRUE(connect(client_context, "b.example", slot).resumed);
  EXPECT_FALSE(connect(make_client({.verify = false}), "b.example", slot).resumed);
  EXPECT_FALSE(connect(client_context, "b.example", slot).resumed);
  // The origin lost its keys: in full.
  keys_ = std::make_shared<TicketKeys>(testing::kNow);
  context_ = make(options_);
  const Result full = connect(client_context, "b.example", slot);
  EXPECT_TRUE(full.established);
  EXPECT_FALSE(full.resumed);
}

// nginx CVE-2026-1642: bytes before TLS stands are not an answer.
TEST_F(ClientLayerTest, CleartextBeforeTls_T08) {
  serve(issue("a.example"));
  ServerEnd server(context_, worker_);
  ClientEnd client(make_client({}), "a.example", nullptr, worker_);
  client.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.status, Status::failed);
  EXPECT_TRUE(client.plain.empty());
  // Between the flights, too.
  ClientEnd second(make_client({}), "a.example", nullptr, worker_);
  server.receive(second.take_wire());
  const std::string flight = server.take_wire();
  // After its first record, the ServerHello.
  const size_t size = static_cast<size_t>(static_cast<unsigned char>(flight.at(3))) << 8 |
                      static_cast<unsigned char>(flight.at(4));
  second.receive(flight.substr(0, 5 + size));
  second.receive("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(second.status, Status::failed);
  EXPECT_TRUE(second.plain.empty());
}

TEST_F(ClientLayerTest, OldOrigin) {
  options_.defaults.max_version = Version::kTls12;
  serve(issue("a.example"));
  ServerEnd server(context_, worker_);
  ClientEnd client(make_client({}), "a.example", nullptr, worker_);
  exchange(client, server, 1);
  EXPECT_TRUE(client.layer.established());
  EXPECT_EQ(client.layer.version(), "TLSv1.2");
  EXPECT_THAT(std::string(client.layer.cipher()), HasSubstr("ECDHE-ECDSA"));
  client.send("hello");
  exchange(client, server);
  EXPECT_EQ(server.take_plain(), "hello");
}

}  // namespace
}  // namespace tls
