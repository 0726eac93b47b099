// Which certificate and policy a name gets, what may be resumed, what reload and errors do.

#include "tls/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tls/test_peers.h"

namespace tls {
namespace {

using testing::exchange;
using testing::Folder;
using ::testing::HasSubstr;
using testing::make_worker;
using testing::RawClient;
using testing::ServerEnd;
using testing::Status;

class ContextTest : public testing::TlsTest {
 protected:
  // The common name of the certificate that a client gets which asks for `name`.
  std::string served(const std::string& name) {
    RawClient client;
    client.connect(name);
    ServerEnd server(context_, worker_);
    exchange(client, server);
    alert_ = client.alert();
    return client.server_subject();
  }
  // A connection for `name`, to be asked may_serve.
  std::unique_ptr<ServerEnd> connected(const std::string& name) {
    RawClient client;
    client.connect(name);
    auto server = std::make_unique<ServerEnd>(context_, worker_);
    exchange(client, *server);
    EXPECT_TRUE(server->layer.established()) << server->layer.error().text();
    return server;
  }

  ContextOptions options_;
  std::shared_ptr<const ServerContext> context_;
  std::shared_ptr<Worker> worker_ = make_worker();
  int alert_ = -1;
};

TEST_F(ContextTest, NamesExactAndWildcard) {
  options_.sites = {
      site({"a.example", "www.a.example"}, issue("a.example")),
      site({"*.a.example"}, issue("wild", {.subject = "*.a.example", .names = "DNS:*.a.example"})),
      site({"*.deep.a.example"}, issue("deep.a.example")), site({"B.Example"}, issue("b.example"))};
  context_ = make(options_);
  EXPECT_EQ(served("a.example"), "a.example");
  EXPECT_EQ(served("A.EXAMPLE"), "a.example");
  EXPECT_EQ(served("www.a.example"), "a.example");
  EXPECT_EQ(served("other.a.example"), "*.a.example");
  EXPECT_EQ(served("two.labels.a.example"), "*.a.example");
  EXPECT_EQ(served("x.deep.a.example"), "deep.a.example");
  EXPECT_EQ(served("b.example"), "b.example");
  EXPECT_EQ(served("b.example."), "b.example");
  EXPECT_EQ(context_->certificates().size(), 4u);
  EXPECT_EQ(context_->find(".a.example"), nullptr);
  EXPECT_EQ(context_->find(std::string(300, 'a')), nullptr);
}

TEST_F(ContextTest, UnknownName_T02) {
  options_.sites = {site({"a.example"}, issue("a.example")),
                    site({"b.example"}, issue("b.example"))};
  context_ = make(options_);
  EXPECT_EQ(served("unknown.example"), "a.example");
  EXPECT_EQ(served(""), "a.example");
  // The listener's own certificate goes before the first site's.
  options_.defaults.certificates = {issue("default.example")};
  context_ = make(options_);
  EXPECT_EQ(served("unknown.example"), "default.example");
  EXPECT_EQ(served(""), "default.example");
  EXPECT_EQ(served("b.example"), "b.example");
  options_.defaults.unknown_name = UnknownName::kReject;
  context_ = make(options_);
  EXPECT_EQ(served("unknown.example"), "");
  EXPECT_EQ(alert_, SSL_AD_UNRECOGNIZED_NAME);
  EXPECT_EQ(served(""), "");
  EXPECT_EQ(alert_, SSL_AD_UNRECOGNIZED_NAME);
  EXPECT_EQ(served("b.example"), "b.example");
  // A site for every name leaves none unknown.
  options_.sites.push_back(site({"*"}, issue("*")));
  context_ = make(options_);
  EXPECT_EQ(served("unknown.example"), "*");
  EXPECT_EQ(served(""), "*");
}

TEST_F(ContextTest, SiteWithoutCertificate_T02) {
  options_.sites = {site({"a.example"}, issue("a.example")), {.hosts = {"b.example"}, .tls = {}}};
  context_ = make(options_);
  ASSERT_EQ(context_->warnings().size(), 1u);
  EXPECT_THAT(context_->warnings()[0], HasSubstr("b.example has no certificate"));
  options_.defaults.unknown_name = UnknownName::kReject;
  context_ = make(options_);
  EXPECT_EQ(served("b.example"), "");  // never under a.example's
  EXPECT_EQ(alert_, SSL_AD_UNRECOGNIZED_NAME);
}

TEST_F(ContextTest, BrokenServerName) {
  options_.defaults.certificates = {issue("a.example")};
  context_ = make(options_);
  RawClient client;
  client.connect(
      "a.exa"
      "mple");
  std::string hello = client.take_wire();
  const size_t at = hello.find("a.example");
  ASSERT_NE(at, std::string::npos);
  for (const auto& [offset, byte] : std::vector<std::pair<int, char>>{
           {0, '\0'}, {3, '\n'}, {8, '\x80'}, {-1, '\x08'}, {-3, '\x01'}, {-5, '\x01'}}) {
    std::string broken = hello;
    broken[at + static_cast<size_t>(offset)] = byte;
    ServerEnd server(context_, worker_);
    server.receive(broken);
    EXPECT_EQ(server.status, Status::failed) << offset;
  }
}

TEST_F(ContextTest, EcdsaAndRsaSideBySide) {
  SiteOptions both = site({"a.example"}, issue("a.example"));
  both.tls.certificates.push_back(
      issue("rsa", {.subject = "rsa", .names = "DNS:a.example", .rsa = true}));
  options_.sites = {both};
  context_ = make(options_);
  EXPECT_EQ(served("a.example"), "a.example");
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    RawClient old([&](SSL_CTX* context) {
      SSL_CTX_set_max_proto_version(context, version);
      SSL_CTX_set1_sigalgs_list(context, "RSA-PSS+SHA256:RSA+SHA256");
      SSL_CTX_set_cipher_list(context, "ECDHE-RSA-AES128-GCM-SHA256");
    });
    old.connect("a.example");
    ServerEnd server(context_, worker_);
    exchange(old, server);
    EXPECT_EQ(old.server_subject(), "rsa");
  }
  both.tls.certificates.push_back(issue("b.example"));
  options_.sites = {both};
  EXPECT_THAT(error_of(options_), HasSubstr("one certificate for each key type"));
}

TEST_F(ContextTest, PoliciesDiffer) {
  options_.sites = {site({"a.example"}, issue("a.example")),
                    site({"new.example"}, issue("new.example")),
                    site({"curve.example"}, issue("curve.example"))};
  options_.sites[1].tls.min_version = Version::kTls13;
  options_.sites[2].tls.groups = {"P-256"};
  context_ = make(options_);
  const auto with_12 = [&](const std::string& name) {
    RawClient client(
        [](SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION); });
    client.connect(name);
    ServerEnd server(context_, worker_);
    exchange(client, server);
    alert_ = client.alert();
    return client.server_subject();
  };
  EXPECT_EQ(with_12("a.example"), "a.example");
  EXPECT_EQ(with_12("new.example"), "");
  EXPECT_EQ(alert_, SSL_AD_PROTOCOL_VERSION);
  // By HelloRetryRequest: the client's first key share was for another group.
  RawClient client;
  client.connect("curve.example");
  ServerEnd server(context_, worker_);
  exchange(client, server);
  EXPECT_STREQ(SSL_get0_group_name(client.ssl()), "secp256r1");
  EXPECT_EQ(client.server_subject(), "curve.example");
}

TEST_F(ContextTest, WhoMayServe_T03) {
  const CertificateFiles shared =
      issue("shared", {.subject = "shared", .names = "DNS:a.example,DNS:c.example"});
  SiteOptions mutual = site({"mutual.example"},
                            issue("mutual", {.subject = "mutual", .names = "DNS:mutual.example"}));
  mutual.tls.client_auth = {.mode = ClientAuthMode::kRequire, .ca = ca_file_};
  options_.sites = {
      site({"a.example"}, shared), site({"b.example"}, issue("b.example")),
      site({"c.example"}, shared), mutual,
      site({"*.w.example"}, issue("w", {.subject = "w", .names = "DNS:*.w.example"}))};
  context_ = make(options_);
  auto server = connected("a.example");
  EXPECT_TRUE(server->layer.covers("a.example"));
  EXPECT_TRUE(server->layer.covers("A.Example"));
  EXPECT_TRUE(server->layer.covers("a.example."));
  EXPECT_TRUE(server->layer.covers("c.example"));  // the certificate covers it
  EXPECT_FALSE(server->layer.covers("b.example"));
  EXPECT_FALSE(server->layer.covers("mutual.example"));
  EXPECT_TRUE(server->layer.covers("unknown.example"));  // of the default site, which is this one
  server = connected("b.example");
  EXPECT_TRUE(server->layer.covers("b.example"));
  EXPECT_FALSE(server->layer.covers("a.example"));
  EXPECT_FALSE(server->layer.covers("unknown.example"));
  EXPECT_FALSE(server->layer.covers("mutual.example"));
  EXPECT_FALSE(server->layer.covers(""));
  // A fresh connection for the host would get the same: no 421 without end.
  server = connected("x.w.example");
  EXPECT_TRUE(server->layer.covers("x.w.example"));
  EXPECT_TRUE(server->layer.covers("y.w.example"));
  server = connected("two.labels.w.example");
  EXPECT_TRUE(server->layer.covers("two.labels.w.example"));
  server = connected("unknown.example");
  EXPECT_TRUE(server->layer.covers("unknown.example"));
  EXPECT_TRUE(server->layer.covers("a.example"));  // the default
  EXPECT_FALSE(server->layer.covers("b.example"));
  server = connected("");
  EXPECT_TRUE(server->layer.covers("127.0.0.1"));
  EXPECT_TRUE(server->layer.covers("a.example"));
  EXPECT_FALSE(server->layer.covers("mutual.example"));
}

TEST_F(ContextTest, PolicyOfAnotherVersion_T03) {
  const CertificateFiles shared =
      issue("shared", {.subject = "shared", .names = "DNS:a.example,DNS:c.example"});
  options_.sites = {site({"a.example"}, shared), site({"c.example"}, shared)};
  options_.sites[1].tls.min_version = Version::kTls13;
  context_ = make(options_);
  EXPECT_FALSE(connected("a.example")->layer.covers("c.example"));
  EXPECT_FALSE(connected("c.example")->layer.covers("a.example"));
}

// Sessions, one client after the other.
class ResumptionTest : public ContextTest {
 protected:
  struct Result {
    bool established = false;
    bool resumed = false;
    SessionPointer session;
  };
  Result connect(const std::string& name, SSL_SESSION* session, int version = TLS1_3_VERSION,
                 const std::string& certificate = {}) {
    RawClient client([&](SSL_CTX* context) {
      SSL_CTX_set_max_proto_version(context, version);
      if (certificate.empty()) return;
      SSL_CTX_use_certificate_file(context, folder_.path(certificate + ".pem").c_str(),
                                   SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context, folder_.path(certificate + ".key").c_str(),
                                  SSL_FILETYPE_PEM);
    });
    client.connect(name, session);
    ServerEnd server(context_, worker_);
    exchange(client, server);
    if (!server.layer.established()) return {};
    EXPECT_EQ(server.layer.resumed(), client.resumed());
    verified_ = server.layer.client_certificate();
    return {true, client.resumed(), client.take_session()};
  }
  PeerCertificate verified_;
};

TEST_F(ResumptionTest, SameSite_T04_T05) {
  options_.sites = {site({"a.example", "*.a.example"}, issue("a.example")),
                    site({"b.example"}, issue("b.example"))};
  context_ = make(options_);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    const Result first = connect("a.example", nullptr, version);
    EXPECT_FALSE(first.resumed);
    ASSERT_NE(first.session, nullptr);
    EXPECT_LE(SSL_SESSION_get_ticket_lifetime_hint(first.session.get()), 7u * 24 * 3600);
    EXPECT_EQ(SSL_SESSION_get_ticket_lifetime_hint(first.session.get()), 24u * 3600);
    EXPECT_TRUE(connect("a.example", first.session.get(), version).resumed);
    // Another name of the same site: TLS 1.3 allows it, RFC 6066 3 forbids it before.
    EXPECT_EQ(connect("www.a.example", first.session.get(), version).resumed,
              version == TLS1_3_VERSION);
    const Result other = connect("b.example", first.session.get(), version);
    EXPECT_TRUE(other.established);
    EXPECT_FALSE(other.resumed);
    const Result nameless = connect("", first.session.get(), version);
    EXPECT_TRUE(nameless.established);
    EXPECT_EQ(nameless.resumed, version == TLS1_3_VERSION);  // the default is the same site
    // A reload keeps the tickets' keys.
    context_ = make(options_);
    EXPECT_TRUE(connect("a.example", first.session.get(), version).resumed);
    // Another process doesn't have them.
    auto kept = std::exchange(keys_, std::make_shared<TicketKeys>(testing::kNow));
    context_ = make(options_);
    const Result foreign = connect("a.example", first.session.get(), version);
    EXPECT_TRUE(foreign.established);
    EXPECT_FALSE(foreign.resumed);
    // Unless it was given them.
    ASSERT_TRUE(keys_->take_over(kept->text()));
    EXPECT_TRUE(connect("a.example", first.session.get(), version).resumed);
  }
}

// RFC 8446 C.4: a client uses a ticket of TLS 1.3 once, so it needs another from each connection.
TEST_F(ResumptionTest, AgainAndAgain) {
  options_.sites = {site({"a.example"}, issue("a.example"))};
  context_ = make(options_);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    Result last = connect("a.example", nullptr, version);
    for (int i = 0; i < 4; ++i) {
      Result next = connect("a.example", last.session.get(), version);
      EXPECT_TRUE(next.resumed) << i;
      EXPECT_EQ(next.session != nullptr, version == TLS1_3_VERSION) << i;
      if (next.session != nullptr) last = std::move(next);
    }
  }
}

TEST_F(ResumptionTest, RotatedKeys_T05) {
  options_.sites = {site({"a.example"}, issue("a.example"))};
  context_ = make(options_);
  const Result first = connect("a.example", nullptr);
  const auto hour = std::chrono::hours(1);
  ASSERT_TRUE(keys_->maintain(testing::kNow + 12 * 3600, hour * 12, hour * 24));
  const Result second = connect("a.example", first.session.get());
  EXPECT_TRUE(second.resumed);
  ASSERT_NE(second.session, nullptr);  // sealed with the new key
  ASSERT_TRUE(keys_->maintain(testing::kNow + 40 * 3600, hour * 12, hour * 24));
  EXPECT_FALSE(connect("a.example", first.session.get()).resumed);
  EXPECT_TRUE(connect("a.example", second.session.get()).resumed);
}

TEST_F(ResumptionTest, TicketsOff) {
  options_.sites = {site({"a.example"}, issue("a.example")),
                    site({"b.example"}, issue("b.example"))};
  options_.sites[1].tls.session_tickets.enabled = false;
  context_ = make(options_);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    const Result none = connect("b.example", nullptr, version);
    EXPECT_TRUE(none.established);
    if (none.session != nullptr) {
      EXPECT_EQ(SSL_SESSION_has_ticket(none.session.get()), 0);
      EXPECT_FALSE(connect("b.example", none.session.get(), version).resumed);
    }
    const Result some = connect("a.example", nullptr, version);
    EXPECT_FALSE(connect("b.example", some.session.get(), version).resumed);
  }
}

TEST_F(ResumptionTest, MutualTls_T03_T04) {
  SiteOptions mutual = site({"mutual.example"}, issue("mutual.example"));
  mutual.tls.client_auth = {.mode = ClientAuthMode::kRequire, .ca = ca_file_};
  const testing::Authority other_authority("Other CA");
  SiteOptions other = site({"other.example"}, issue("other.example"));
  other.tls.client_auth = {.mode = ClientAuthMode::kRequire,
                           .ca = folder_.write("other-ca.pem", other_authority.certificate_pem())};
  options_.sites = {site({"a.example"}, issue("a.example")), mutual, other};
  folder_.write("client", authority_.issue({.subject = "client"}));
  folder_.write("stranger", other_authority.issue({.subject = "stranger"}));
  context_ = make(options_);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    EXPECT_FALSE(connect("mutual.example", nullptr, version).established);
    EXPECT_FALSE(connect("mutual.example", nullptr, version, "stranger").established);
    EXPECT_TRUE(connect("other.example", nullptr, version, "stranger").established);
    const Result known = connect("mutual.example", nullptr, version, "client");
    ASSERT_TRUE(known.established);
    EXPECT_TRUE(verified_.present && verified_.verified);
    EXPECT_EQ(verified_.subject, "CN=client");
    EXPECT_EQ(verified_.fingerprint.size(), 64u);
    EXPECT_FALSE(verified_.serial.empty());
    EXPECT_TRUE(connect("mutual.example", known.session.get(), version, "client").resumed);
    EXPECT_TRUE(verified_.present && verified_.verified);
    EXPECT_EQ(verified_.subject, "CN=client");
    // Tickets without a client's certificate, or with another CA's, open no door.
    const Result open = connect("a.example", nullptr, version);
    EXPECT_FALSE(connect("mutual.example", open.session.get(), version).established);
    const Result strange = connect("other.example", nullptr, version, "stranger");
    EXPECT_FALSE(connect("mutual.example", strange.session.get(), version, "stranger").established);
    EXPECT_FALSE(connect("other.example", known.session.get(), version, "client").established);
    // Nor does one that was verified lead where none is asked for.
    EXPECT_FALSE(connect("a.example", known.session.get(), version).resumed);
  }
}

TEST_F(ResumptionTest, ClientAuthOptional) {
  SiteOptions optional = site({"a.example"}, issue("a.example"));
  optional.tls.client_auth = {.mode = ClientAuthMode::kOptional, .ca = ca_file_};
  options_.sites = {optional};
  folder_.write("client", authority_.issue({.subject = "client"}));
  folder_.write("stranger", testing::Authority("Other CA").issue({.subject = "stranger"}));
  context_ = make(options_);
  const Result without = connect("a.example", nullptr);
  EXPECT_TRUE(without.established);
  EXPECT_FALSE(verified_.present);
  EXPECT_TRUE(connect("a.example", without.session.get()).resumed);
  EXPECT_TRUE(connect("a.example", nullptr, TLS1_3_VERSION, "client").established);
  EXPECT_TRUE(verified_.verified);
  EXPECT_FALSE(connect("a.example", nullptr, TLS1_3_VERSION, "stranger").established);
}

TEST_F(ResumptionTest, RevokedWhileTheTicketLives_T04) {
  const testing::Made client = authority_.issue({.subject = "client"});
  folder_.write("client", client);
  const std::string crl = folder_.write("crl.pem", authority_.crl_pem({}));
  SiteOptions mutual = site({"mutual.example"}, issue("mutual.example"));
  mutual.tls.client_auth = {.mode = ClientAuthMode::kRequire, .ca = ca_file_, .crl = crl};
  options_.sites = {mutual};
  context_ = make(options_);
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    folder_.write("crl.pem", authority_.crl_pem({}));
    context_ = make(options_);
    const Result known = connect("mutual.example", nullptr, version, "client");
    ASSERT_TRUE(known.established);
    EXPECT_TRUE(connect("mutual.example", known.session.get(), version, "client").resumed);
    folder_.write("crl.pem", authority_.crl_pem({client.certificate.get()}));
    context_ = make(options_);
    EXPECT_FALSE(connect("mutual.example", known.session.get(), version, "client").established);
    EXPECT_FALSE(connect("mutual.example", nullptr, version, "client").established);
  }
}

TEST_F(ResumptionTest, IntermediateAuthorities) {
  const testing::Authority middle("Middle CA", &authority_);
  const testing::Authority low("Low CA", &middle);
  const std::string chain = low.certificate_pem() + middle.certificate_pem();
  folder_.write("client", low.issue({.subject = "client"}), chain);
  SiteOptions mutual = site({"a.example"}, issue("a.example"));
  mutual.tls.client_auth = {.mode = ClientAuthMode::kRequire, .ca = ca_file_, .depth = 2};
  options_.sites = {mutual};
  context_ = make(options_);
  const auto with_chain = [&](SSL_SESSION* session) {
    RawClient client([&](SSL_CTX* context) {
      SSL_CTX_use_certificate_chain_file(context, folder_.path("client.pem").c_str());
      SSL_CTX_use_PrivateKey_file(context, folder_.path("client.key").c_str(), SSL_FILETYPE_PEM);
    });
    client.connect("a.example", session);
    ServerEnd server(context_, worker_);
    exchange(client, server);
    return Result{server.layer.established(), client.resumed(), client.take_session()};
  };
  const Result first = with_chain(nullptr);
  ASSERT_TRUE(first.established);
  // The chain is not in the ticket: in full, rather than unverified.
  const Result again = with_chain(first.session.get());
  EXPECT_TRUE(again.established);
  EXPECT_FALSE(again.resumed);
  options_.sites[0].tls.client_auth.depth = 1;
  context_ = make(options_);
  EXPECT_FALSE(with_chain(nullptr).established);
  // Where they are among the CAs they need not be.
  options_.sites[0].tls.client_auth = {
      .mode = ClientAuthMode::kRequire,
      .ca = folder_.write("all.pem", authority_.certificate_pem() + chain),
      .depth = 2};
  context_ = make(options_);
  const Result known = with_chain(nullptr);
  ASSERT_TRUE(known.established);
  EXPECT_TRUE(with_chain(known.session.get()).resumed);
}

TEST_F(ContextTest, FilesThatDontFit_T07) {
  const CertificateFiles good = issue("a.example");
  const CertificateFiles other = issue("b.example");
  const auto with = [&](CertificateFiles files) {
    options_.defaults.certificates = {std::move(files)};
    return error_of(options_);
  };
  const std::string mismatch = with({good.certificate, other.key});
  EXPECT_THAT(mismatch, HasSubstr(other.key));
  EXPECT_THAT(mismatch, HasSubstr("does not belong to the certificate " + good.certificate));
  const std::string missing = with({folder_.path("none.pem"), good.key});
  EXPECT_THAT(missing, HasSubstr("can't read the certificate " + folder_.path("none.pem")));
  EXPECT_THAT(missing, HasSubstr("No such file"));
  EXPECT_THAT(with({good.certificate, folder_.path("none.key")}), HasSubstr("can't read the key"));
  EXPECT_THAT(with({folder_.write("text.pem", "hello"), good.key}), HasSubstr("must be PEM"));
  EXPECT_THAT(with({good.certificate, folder_.write("text.key", "hello")}),
              HasSubstr("holds no private key"));
  EXPECT_THAT(with({good.certificate, good.certificate}), HasSubstr("holds no private key"));
  const testing::Made small = authority_.issue({.subject = "small", .rsa = true, .rsa_bits = 1024});
  EXPECT_THAT(with(folder_.write("small", small)), HasSubstr("key too small"));
  const std::string locked = testing::pem([&](BIO* bio) {
    PEM_write_bio_PrivateKey(bio, small.key.get(), EVP_aes_128_cbc(),
                             reinterpret_cast<const unsigned char*>("pass"), 4, nullptr, nullptr);
  });
  EXPECT_THAT(with({good.certificate, folder_.write("locked.key", locked)}),
              HasSubstr("protected by a passphrase"));
  options_.defaults.certificates = {good};
  options_.defaults.client_auth.mode = ClientAuthMode::kRequire;
  EXPECT_THAT(error_of(options_), HasSubstr("client_auth needs `ca`"));
  options_.defaults.client_auth.ca = folder_.path("none.pem");  // T04: not without it
  EXPECT_THAT(error_of(options_), HasSubstr("can't read the CA file"));
  options_.defaults.client_auth.ca = folder_.write("empty.pem", "");
  EXPECT_THAT(error_of(options_), HasSubstr("holds no certificate"));
  options_.defaults.client_auth.ca = folder_.write(
      "cut.pem", authority_.certificate_pem() + authority_.certificate_pem().substr(0, 200));
  EXPECT_THAT(error_of(options_), HasSubstr("certificate 2 is broken"));
  options_.defaults.client_auth.ca = ca_file_;
  options_.defaults.client_auth.crl = ca_file_;
  EXPECT_THAT(error_of(options_), HasSubstr("holds no list of revoked certificates"));
  options_.defaults.client_auth = {};
  options_.defaults.ciphers = "NONSENSE";
  EXPECT_THAT(error_of(options_), HasSubstr("ciphers"));
  options_.defaults.ciphers = ServerOptions().ciphers;
  options_.defaults.groups = {"X25519", "nonsense"};
  EXPECT_THAT(error_of(options_), HasSubstr("groups"));
  EXPECT_THAT(error_of({}), HasSubstr("needs a certificate"));
}

TEST_F(ContextTest, Warnings_T07) {
  const CertificateFiles open = issue("a.example");
  std::filesystem::permissions(open.key, std::filesystem::perms(0644));
  options_.sites = {
      site({"a.example"}, open),
      site({"old.example"},
           issue("old",
                 {.subject = "old", .names = "DNS:old.example", .begins = -7200, .ends = -3600})),
      site({"new.example"},
           issue("new", {.subject = "new", .names = "DNS:new.example", .begins = 3600}))};
  context_ = make(options_);
  ASSERT_EQ(context_->warnings().size(), 3u);
  EXPECT_THAT(context_->warnings()[0], HasSubstr("chmod 0640 " + open.key));
  EXPECT_THAT(context_->warnings()[1], HasSubstr("expired on"));
  EXPECT_THAT(context_->warnings()[2], HasSubstr("is not valid before"));
  for (const auto& certificate : context_->certificates()) {
    EXPECT_LT(certificate->not_before(), certificate->not_after());
    EXPECT_EQ(certificate->names().size(), 1u);
    EXPECT_EQ(certificate->key_type(), "EC");
  }
}

TEST_F(ContextTest, KeyInTheSameFile) {
  const testing::Made made = authority_.issue({.subject = "one",
                                               .names = "DNS:one,IP:127.0.0.1,"
                                                        "IP:2001:db8::1"});
  const std::string text =
      testing::pem_of(made.certificate.get()) + testing::pem_of(made.key.get());
  options_.defaults.certificates = {{folder_.write("both.pem", text), ""}};
  context_ = make(options_);
  EXPECT_EQ(served("one"), "one");
  const auto certificate = context_->certificates().at(0);
  EXPECT_EQ(certificate->names(), (std::vector<std::string>{"one", "127.0.0.1", "2001:db8::1"}));
  EXPECT_TRUE(certificate->covers("127.0.0.1"));
  EXPECT_TRUE(certificate->covers("2001:db8::1"));
  EXPECT_FALSE(certificate->covers("127.0.0.2"));
}

TEST_F(ContextTest, Reload_T07) {
  options_.sites = {site({"a.example"}, issue("a.example")),
                    site({"b.example"}, issue("b.example"))};
  context_ = make(options_);
  EXPECT_FALSE(context_->files_changed());
  const auto before = context_->find("b.example")->certificates.at(0);
  const auto connection = connected("a.example");
  // Renewed: written over.
  issue("a.example", {.subject = "renewed", .names = "DNS:a.example"});
  EXPECT_TRUE(context_->files_changed());
  auto next = ServerContext::create(options_, keys_, time(nullptr), context_.get());
  ASSERT_TRUE(next) << next.error();
  EXPECT_EQ((*next)->find("b.example")->certificates.at(0), before);  // taken over
  context_ = *next;
  EXPECT_EQ(served("a.example"), "renewed");
  EXPECT_FALSE(context_->files_changed());
  EXPECT_TRUE(connection->layer.covers("a.example"));  // goes on with what it began with
  // A mistake: the old one stays, and it is seen until it is mended.
  folder_.write("a.example.key", "nonsense");
  EXPECT_TRUE(context_->files_changed());
  EXPECT_FALSE(ServerContext::create(options_, keys_, time(nullptr), context_.get()));
  EXPECT_EQ(served("a.example"), "renewed");
  EXPECT_TRUE(context_->files_changed());
  std::filesystem::remove(folder_.path("a.example.key"));
  EXPECT_TRUE(context_->files_changed());
}

// Answers when it is told to.
class SlowSource final : public CertificateSource {
 public:
  void find(std::shared_ptr<CertificateRequest> request) override {
    ++asked;
    last = std::move(request);
    if (at_once) last->answer(certificates);
  }
  std::shared_ptr<CertificateRequest> last;
  CertificateSet certificates;
  bool at_once = false;
  int asked = 0;
};

class SourceTest : public ContextTest {
 protected:
  SourceTest() {
    const testing::Made made = authority_.issue({.subject = "late", .names = "DNS:late.example"});
    auto parsed = Certificate::parse(testing::pem_of(made.certificate.get()),
                                     testing::pem_of(made.key.get()), {"memory", "memory"});
    EXPECT_TRUE(parsed) << parsed.error();
    source_.certificates = {*parsed};
    options_.sites = {site({"a.example"}, issue("a.example")),
                      {.hosts = {"late.example", "*.late.example"}, .tls = {}}};
    options_.on_demand = true;
    context_ = make(options_);
    worker_ = make_worker(&source_);
  }
  SlowSource source_;
};

TEST_F(SourceTest, CertificateInTheMiddleOfAHandshake) {
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    RawClient client([&](SSL_CTX* context) { SSL_CTX_set_max_proto_version(context, version); });
    client.connect("Late.Example");
    ServerEnd server(context_, worker_);
    int ready = 0;
    server.layer.set_ready([&] { ++ready; });
    // What comes behind the hello waits too: a compatibility record (RFC 8446 D.4).
    const std::string more =
        version == TLS1_3_VERSION ? std::string("\x14\x03\x03\x00\x01\x01", 6) : std::string();
    server.receive(client.take_wire() + more);
    EXPECT_EQ(server.status, Status::waiting);
    EXPECT_TRUE(server.wire.empty());
    EXPECT_EQ(source_.last->server_name(), "late.example");
    server.resume();  // nothing new
    EXPECT_EQ(server.status, Status::waiting);
    source_.last->answer(source_.certificates);
    EXPECT_EQ(ready, 1);
    server.resume();
    EXPECT_EQ(server.status, Status::ok);
    exchange(client, server);
    EXPECT_TRUE(server.layer.established());
    EXPECT_EQ(client.server_subject(), "late");
    EXPECT_TRUE(server.layer.covers("late.example"));
    EXPECT_FALSE(server.layer.covers("a.example"));
    client.send("hello");
    exchange(client, server);
    EXPECT_EQ(server.take_plain(), "hello");
    source_.last->answer({});  // too late to matter
  }
  EXPECT_EQ(source_.asked, 2);
  EXPECT_EQ(served("a.example"), "a.example");
  EXPECT_EQ(source_.asked, 2);
}

TEST_F(SourceTest, AtOnce) {
  source_.at_once = true;
  EXPECT_EQ(served("x.late.example"), "late");
}

TEST_F(SourceTest, Refused) {
  source_.certificates.clear();
  source_.at_once = true;
  EXPECT_EQ(served("late.example"), "");
  EXPECT_EQ(alert_, SSL_AD_HANDSHAKE_FAILURE);
}

TEST_F(SourceTest, ConnectionEndsFirst) {
  RawClient client;
  client.connect("late.example");
  auto server = std::make_unique<ServerEnd>(context_, worker_);
  server->receive(client.take_wire());
  EXPECT_FALSE(source_.last->abandoned());
  server.reset();
  EXPECT_TRUE(source_.last->abandoned());
  source_.last->answer(source_.certificates);
}

TEST_F(SourceTest, TooMuchWhileWaiting_D05) {
  RawClient client;
  client.connect("late.example");
  ServerEnd server(context_, worker_);
  server.receive(client.take_wire());
  EXPECT_EQ(server.status, Status::waiting);
  for (int i = 0; i < 100 && server.status == Status::waiting; ++i) {
    server.receive(std::string(1000, 'x'));
  }
  EXPECT_EQ(server.status, Status::failed);
  EXPECT_EQ(server.layer.error().kind, io::Error::Kind::limit);
  source_.last->answer(source_.certificates);
}

// Workers share contexts and keys, which change meanwhile (under tsan).
TEST_F(ContextTest, SharedByThreads) {
  options_.sites = {site({"a.example"}, issue("a.example")),
                    site({"b.example"}, issue("b.example"))};
  options_.sites[1].tls.max_version = Version::kTls12;
  context_ = make(options_);
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) {
    workers.emplace_back([&, i] {
      const auto worker = make_worker();
      SessionPointer session;
      for (int j = 0; j < 10; ++j) {
        const std::string name = (i + j) % 2 == 0 ? "a.example" : "b.example";
        RawClient client;
        client.connect(name, session.get());
        ServerEnd server(context_, worker);
        exchange(client, server);
        EXPECT_EQ(client.server_subject(), name);
        EXPECT_TRUE(server.layer.covers(name));
        session = client.take_session();
      }
    });
  }
  for (int i = 1; i < 20; ++i) {
    keys_->maintain(testing::kNow + i * 3600, std::chrono::hours(1), std::chrono::hours(5));
    const auto copy = make(options_);
  }
  for (std::thread& worker : workers) worker.join();
}

}  // namespace
}  // namespace tls
