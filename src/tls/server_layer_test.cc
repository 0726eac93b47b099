// The layers' bytes: handshakes in pieces, records, endings, what is refused.

#include "tls/server_layer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tls/test_peers.h"

namespace tls {
namespace {

using testing::ClientEnd;
using testing::exchange;
using testing::kWhole;
using testing::make_worker;
using testing::RawClient;
using testing::ServerEnd;
using testing::Status;

// The payload sizes of the records in `wire`.
std::vector<size_t> record_sizes(std::string_view wire) {
  std::vector<size_t> sizes;
  while (wire.size() >= 5) {
    const size_t size = static_cast<size_t>(static_cast<unsigned char>(wire[3])) << 8 |
                        static_cast<unsigned char>(wire[4]);
    sizes.push_back(size);
    wire.remove_prefix(std::min(wire.size(), size + 5));
  }
  EXPECT_TRUE(wire.empty());
  return sizes;
}

// The same handshake messages in records of `size` bytes.
std::string reframe(std::string_view wire, size_t size) {
  std::string made;
  while (!wire.empty()) {
    const size_t length = static_cast<size_t>(static_cast<unsigned char>(wire[3])) << 8 |
                          static_cast<unsigned char>(wire[4]);
    std::string_view payload = wire.substr(5, length);
    while (!payload.empty()) {
      const std::string_view part = payload.substr(0, size);
      made += wire.substr(0, 3);
      made += static_cast<char>(part.size() >> 8);
      made += static_cast<char>(part.size() & 0xff);
      made += part;
      payload.remove_prefix(part.size());
    }
    wire.remove_prefix(5 + length);
  }
  return made;
}

void limit_version(SSL_CTX* context, int version) {
  SSL_CTX_set_max_proto_version(context, version);
}

class ServerLayerTest : public testing::TlsTest {
 protected:
  ServerLayerTest() {
    options_.defaults.certificates = {issue("a.example")};
    options_.cleartext_answer = "HTTP/1.1 400 Bad Request\r\n\r\n";
    context_ = make(options_);
    client_context_ = make_client({});
  }
  std::unique_ptr<ServerEnd> server() { return std::make_unique<ServerEnd>(context_, worker_); }
  std::unique_ptr<ClientEnd> client() {
    return std::make_unique<ClientEnd>(client_context_, "a.example", nullptr, worker_);
  }

  ContextOptions options_;
  std::shared_ptr<const ServerContext> context_;
  std::shared_ptr<const ClientContext> client_context_;
  std::shared_ptr<Worker> worker_ = make_worker();
};

void expect_conversation(ClientEnd& client, ServerEnd& server, size_t piece) {
  exchange(client, server, piece);
  ASSERT_TRUE(client.layer.established()) << client.layer.error().text();
  ASSERT_TRUE(server.layer.established()) << server.layer.error().text();
  client.send("GET / HTTP/1.1\r\n\r\n");
  exchange(client, server, piece);
  EXPECT_EQ(server.take_plain(), "GET / HTTP/1.1\r\n\r\n");
  const std::string body(100'000, 'b');
  server.send(body);
  exchange(client, server, piece);
  EXPECT_TRUE(client.take_plain() == body);
  server.layer.finish(server.wire);
  exchange(client, server, piece);
  EXPECT_EQ(client.status, Status::ended);
  client.layer.finish(client.wire);
  exchange(client, server, piece);
  EXPECT_EQ(server.status, Status::ended);
}

TEST_F(ServerLayerTest, Conversation) {
  for (const size_t piece : {kWhole, size_t{1}, size_t{2}, size_t{5}, size_t{6}, size_t{1000}}) {
    SCOPED_TRACE(piece);
    const auto server_end = server();
    const auto client_end = client();
    expect_conversation(*client_end, *server_end, piece);
    EXPECT_EQ(server_end->layer.version(), "TLSv1.3");
    EXPECT_EQ(server_end->layer.cipher(), "TLS_AES_128_GCM_SHA256");
    EXPECT_EQ(server_end->layer.alpn(), "http/1.1");
    EXPECT_EQ(client_end->layer.alpn(), "http/1.1");
    EXPECT_EQ(server_end->layer.server_name(), "a.example");
    EXPECT_FALSE(server_end->layer.resumed());
    EXPECT_FALSE(server_end->layer.client_certificate().present);
    EXPECT_TRUE(client_end->layer.server_certificate().verified);
  }
}

// Every flight cut in two at every byte. (Without ML-KEM the hello is short.)
TEST_F(ServerLayerTest, SplitAtEveryByte) {
  for (const int version : {TLS1_3_VERSION, TLS1_2_VERSION}) {
    size_t longest = 1;
    for (size_t cut = 1; cut <= longest; ++cut) {
      RawClient peer([&](SSL_CTX* context) {
        limit_version(context, version);
        SSL_CTX_set1_groups_list(context, "X25519:P-256");
      });
      peer.connect("a.example");
      const auto server_end = server();
      for (int flight = 0; flight < 4; ++flight) {
        const std::string bytes = peer.take_wire();
        longest = std::max(longest, bytes.size());
        server_end->receive(std::string_view(bytes).substr(0, cut));
        if (cut < bytes.size()) server_end->receive(std::string_view(bytes).substr(cut));
        if (const std::string back = server_end->take_wire(); !back.empty()) peer.receive(back);
      }
      ASSERT_TRUE(server_end->layer.established()) << cut << server_end->layer.error().text();
      peer.send("hello");
      const std::string bytes = peer.take_wire();
      server_end->receive(bytes, cut);
      ASSERT_EQ(server_end->take_plain(), "hello") << cut;
    }
  }
}

// Finish of the handshake, requests and close_notify in one view.
TEST_F(ServerLayerTest, EverythingAtOnce) {
  RawClient peer;
  peer.connect("a.example");
  const auto server_end = server();
  server_end->receive(peer.take_wire());
  peer.receive(server_end->take_wire());
  ASSERT_TRUE(peer.established());
  peer.send(std::string(50'000, 'x'));
  peer.send("y");
  SSL_shutdown(peer.ssl());
  server_end->receive(peer.take_wire());
  EXPECT_EQ(server_end->status, Status::ended);
  EXPECT_EQ(server_end->plain.size(), 50'001u);
  // What comes after the end is nobody's.
  server_end->receive("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(server_end->status, Status::ended);
  EXPECT_EQ(server_end->plain.size(), 50'001u);
}

TEST_F(ServerLayerTest, RecordsGrow) {
  const auto server_end = server();
  const auto client_end = client();
  exchange(*client_end, *server_end);
  server_end->send(std::string(300, 'x'));
  EXPECT_EQ(record_sizes(server_end->wire.view()).size(), 1u);
  client_end->receive(server_end->take_wire());
  server_end->send(std::string(200'000, 'x'));
  const std::string wire = server_end->take_wire();
  const std::vector<size_t> sizes = record_sizes(wire);
  EXPECT_EQ(sizes.front(), Engine::kSmallRecord + 17);
  EXPECT_EQ(sizes[40], Engine::kSmallRecord + 17);
  EXPECT_EQ(sizes[50], Engine::kLargeRecord + 17);
  const std::string more(Engine::kLargeRecord * 4, 'y');
  client_end->receive(wire);
  client_end->plain.clear();
  server_end->send(more);
  const std::string bulk = server_end->take_wire();
  EXPECT_EQ(record_sizes(bulk), std::vector<size_t>(4, Engine::kLargeRecord + 17));
  client_end->receive(bulk);
  EXPECT_TRUE(client_end->take_plain() == more);
}

TEST_F(ServerLayerTest, RecordsShrinkAfterAPause) {
  io::Loop loop;
  worker_ = std::make_shared<Worker>(&loop);
  const auto server_end = server();
  const auto client_end = client();
  exchange(*client_end, *server_end);
  const std::string record(Engine::kLargeRecord, 'x');
  server_end->send(std::string(100'000, 'x'));
  server_end->wire.clear();
  server_end->send(record);
  EXPECT_EQ(record_sizes(server_end->take_wire()).size(), 1u);
  const io::Time end = io::Clock::now() + Engine::kPause;
  while (loop.now() <= end) loop.turn(end - loop.now() + std::chrono::milliseconds(1));
  server_end->send(record);
  const std::vector<size_t> sizes = record_sizes(server_end->take_wire());
  EXPECT_EQ(sizes.size(), 12u);
  EXPECT_EQ(sizes.front(), Engine::kSmallRecord + 17);
}

TEST_F(ServerLayerTest, OneByteRecords_D05) {
  for (const size_t size : {1, 2, 3, 100}) {
    RawClient peer;
    peer.connect("a.example");
    const auto server_end = server();
    server_end->receive(reframe(peer.take_wire(), size));
    peer.receive(server_end->take_wire());
    exchange(peer, *server_end);
    EXPECT_TRUE(server_end->layer.established()) << server_end->layer.error().text();
  }
}

int add_large(SSL*, unsigned int, unsigned int, const unsigned char** out, size_t* size, X509*,
              size_t, int*, void* wanted) {
  static const std::string bytes(65'535, 'x');
  *out = reinterpret_cast<const unsigned char*>(bytes.data());
  *size = *static_cast<size_t*>(wanted);
  return 1;
}

TEST_F(ServerLayerTest, LargeHello_D05) {
  size_t size = 62'000;
  const auto hello = [&](int count) {
    return [&size, count](SSL_CTX* context) {
      for (int i = 0; i < count; ++i) {
        SSL_CTX_add_custom_ext(context, static_cast<unsigned int>(0xfa10 + i), SSL_EXT_CLIENT_HELLO,
                               add_large, nullptr, &size, nullptr, nullptr);
      }
    };
  };
  RawClient within(hello(1));
  within.connect("a.example");
  auto server_end = server();
  exchange(within, *server_end);
  EXPECT_TRUE(server_end->layer.established()) << server_end->layer.error().text();
  // A well-formed one is never larger than its extensions' 64 KiB.
  // One that says it is as long as can be, sent byte by byte, ends as soon.
  server_end = server();
  const std::string start("\x16\x03\x01\x40\x00\x01\x01\xff\xff", 9);
  server_end->receive(start + std::string(16'380, 'x'));
  for (int i = 0; i < 4; ++i) {
    server_end->receive(std::string("\x16\x03\x01\x40\x00", 5) + std::string(16'384, 'x'));
  }
  EXPECT_EQ(server_end->status, Status::failed);
  EXPECT_EQ(server_end->layer.error().kind, io::Error::Kind::limit);
}

TEST_F(ServerLayerTest, Garbage_S34) {
  using namespace std::string_view_literals;
  for (const std::string_view bytes :
       {"\x16\x03\x01\x00\x05hello"sv, "\x16\x09\x09\xff\xff"sv, "\x17\x03\x03\x00\x01x"sv,
        "\x15\x03\x03\x00\x02\x02\x28"sv, "\0\0\0\0"sv, "\r\n\r\n\0\r\nQUIT\n"sv}) {
    const auto server_end = server();
    server_end->receive(bytes, 1);
    EXPECT_EQ(server_end->status, Status::failed);
    EXPECT_FALSE(server_end->layer.error().detail.empty());
    EXPECT_FALSE(server_end->layer.cleartext());
    // Nothing of it reaches OpenSSL or the user again.
    base::Buffer plain;
    base::Buffer wire;
    EXPECT_EQ(server_end->layer.receive("more", plain, wire), Status::failed);
    EXPECT_TRUE(plain.empty());
  }
}

TEST_F(ServerLayerTest, Sslv2Hello_T01) {
  // A hello in SSLv2's format that offers TLS 1.2 (RFC 5246 E.2).
  const std::string hello("\x80\x1c\x01\x03\x03\x00\x03\x00\x00\x00\x10\x00\xc0\x2f", 14);
  const auto server_end = server();
  server_end->receive(hello + std::string(16, 'c'));
  EXPECT_EQ(server_end->status, Status::failed);
  EXPECT_EQ(server_end->layer.error().detail, "SSLv2 hello");
  EXPECT_TRUE(server_end->wire.empty());
}

TEST_F(ServerLayerTest, CleartextHttp_T09) {
  for (const std::string_view bytes : {"GET / HTTP/1.1\r\n\r\n", "POST /", "PRI * HTTP/2.0", "o"}) {
    const auto server_end = server();
    server_end->receive(bytes);
    EXPECT_EQ(server_end->status, Status::failed);
    EXPECT_TRUE(server_end->layer.cleartext());
    EXPECT_EQ(server_end->take_wire(), options_.cleartext_answer);
    EXPECT_EQ(server_end->layer.error().detail, "cleartext HTTP on a TLS port");
  }
}

TEST_F(ServerLayerTest, EncryptedClientHelloGrease_T09) {
  size_t size = 200;
  RawClient peer([&](SSL_CTX* context) {
    SSL_CTX_add_custom_ext(context, 0xfe0d, SSL_EXT_CLIENT_HELLO, add_large, nullptr, &size,
                           nullptr, nullptr);
  });
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  EXPECT_TRUE(server_end->layer.established());
}

TEST_F(ServerLayerTest, OldVersions_T01) {
  RawClient peer([](SSL_CTX* context) {
    SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0");
    SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  });
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  EXPECT_EQ(server_end->status, Status::failed);
  EXPECT_EQ(peer.alert(), SSL_AD_PROTOCOL_VERSION);
}

TEST_F(ServerLayerTest, FallbackScsv_T01) {
  RawClient peer([](SSL_CTX* context) {
    SSL_CTX_set_mode(context, SSL_MODE_SEND_FALLBACK_SCSV);
    limit_version(context, TLS1_2_VERSION);
  });
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  EXPECT_EQ(peer.alert(), 86);  // RFC 7507 3
}

TEST_F(ServerLayerTest, Renegotiation_T01) {
  RawClient peer([](SSL_CTX* context) { limit_version(context, TLS1_2_VERSION); });
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  ASSERT_TRUE(server_end->layer.established());
  EXPECT_EQ(server_end->layer.version(), "TLSv1.2");
  EXPECT_EQ(SSL_get_secure_renegotiation_support(peer.ssl()), 1);  // RFC 5746
  EXPECT_EQ(SSL_get_current_compression(peer.ssl()), nullptr);
  SSL_renegotiate(peer.ssl());
  SSL_do_handshake(peer.ssl());
  exchange(peer, *server_end);
  EXPECT_EQ(peer.alert(), SSL_AD_NO_RENEGOTIATION);
  EXPECT_TRUE(server_end->plain.empty());
}

TEST_F(ServerLayerTest, CiphersOfTls12) {
  RawClient peer([](SSL_CTX* context) {
    limit_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, "AES128-SHA:AES256-GCM-SHA384:ECDHE-ECDSA-AES128-SHA");
  });
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  EXPECT_EQ(peer.alert(), SSL_AD_HANDSHAKE_FAILURE);  // nothing without forward secrecy, no CBC
}

TEST_F(ServerLayerTest, NoProtocolInCommon_T06) {
  RawClient peer([](SSL_CTX* context) {
    SSL_CTX_set_alpn_protos(context,
                            reinterpret_cast<const unsigned char*>("\x03"
                                                                   "ftp"),
                            4);
  });
  peer.connect("a.example");
  auto server_end = server();
  exchange(peer, *server_end);
  EXPECT_EQ(server_end->status, Status::failed);
  EXPECT_EQ(peer.alert(), 120);
  RawClient silent;  // offers none: RFC 7301 leaves it to us
  silent.connect("a.example");
  server_end = server();
  exchange(silent, *server_end);
  EXPECT_TRUE(server_end->layer.established());
  EXPECT_EQ(server_end->layer.alpn(), "");
}

TEST_F(ServerLayerTest, ServersOrderOfProtocols) {
  options_.alpn = {"h2", "http/1.1"};
  context_ = make(options_);
  client_context_ = make_client({}, {"http/1.1", "h2"});
  const auto server_end = server();
  const auto client_end = client();
  exchange(*client_end, *server_end);
  EXPECT_EQ(server_end->layer.alpn(), "h2");
  EXPECT_EQ(client_end->layer.alpn(), "h2");
}

// More connections than may keep their buffers: those that gave them back go on, also in the middle
// of a record.
TEST_F(ServerLayerTest, BuffersAreBounded) {
  struct Pair {
    std::unique_ptr<ClientEnd> client;
    std::unique_ptr<ServerEnd> server;
    std::string rest;
  };
  std::vector<Pair> pairs;
  for (size_t i = 0; i < Worker::kBuffersMax + 50; ++i) {
    Pair& pair = pairs.emplace_back(client(), server(), std::string());
    exchange(*pair.client, *pair.server);
    ASSERT_TRUE(pair.server->layer.established());
    pair.client->send("first");
    const std::string wire = pair.client->take_wire();
    pair.server->receive(wire.substr(0, 7));
    pair.rest = wire.substr(7);
  }
  for (Pair& pair : pairs) {
    pair.server->receive(pair.rest);
    ASSERT_EQ(pair.server->take_plain(), "first");
    pair.server->send("answer");
    exchange(*pair.client, *pair.server);
    ASSERT_EQ(pair.client->take_plain(), "answer");
  }
  // Closed in any order.
  for (size_t i = 0; i < pairs.size(); i += 2) pairs[i].server.reset();
  pairs.clear();
  const auto server_end = server();
  const auto client_end = client();
  expect_conversation(*client_end, *server_end, kWhole);
}

TEST_F(ServerLayerTest, KeyUpdate) {
  RawClient peer;
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(SSL_key_update(peer.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    peer.send("after");
    exchange(peer, *server_end);
    EXPECT_EQ(server_end->take_plain(), "after");
    server_end->send("answer");
    exchange(peer, *server_end);
    EXPECT_EQ(std::exchange(peer.plain(), {}), "answer");
  }
}

TEST_F(ServerLayerTest, TamperedRecord) {
  RawClient peer;
  peer.connect("a.example");
  const auto server_end = server();
  exchange(peer, *server_end);
  peer.send("hello");
  std::string wire = peer.take_wire();
  wire.back() = static_cast<char>(wire.back() ^ 1);
  server_end->receive(wire);
  EXPECT_EQ(server_end->status, Status::failed);
  EXPECT_TRUE(server_end->plain.empty());
  peer.receive(server_end->take_wire());
  EXPECT_EQ(peer.alert(), SSL_AD_BAD_RECORD_MAC);
}

}  // namespace
}  // namespace tls
