// For tests: an OpenSSL client of its own that can be made to do what ours never would, and the
// wiring between it, our client layer and our server layer, without a socket.
//
// Bytes go back and forth in pieces of a chosen size until both sides are silent.
#pragma once

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "tls/client_layer.h"
#include "tls/server_layer.h"
#include "tls/test_certificates.h"

namespace tls::testing {

using Status = io::StreamLayer::Status;

constexpr std::int64_t kNow = 1'900'000'000;
constexpr size_t kWhole = ~size_t{0};

// One end: a layer and what came out of it.
template <typename Layer>
struct End {
  Layer layer;
  base::Buffer plain;
  base::Buffer wire;
  Status status = Status::ok;

  template <typename... Arguments>
  explicit End(Arguments&&... arguments) : layer(std::forward<Arguments>(arguments)...) {
    status = layer.start(wire);
  }
  void receive(std::string_view bytes, size_t piece = kWhole) {
    while (!bytes.empty() && status != Status::failed) {
      const std::string_view part = bytes.substr(0, piece);
      // A copy of exactly this size: reading beyond it is seen by the sanitizer.
      const std::string copy(part);
      status = layer.receive(copy, plain, wire);
      bytes.remove_prefix(part.size());
    }
  }
  void resume() { status = layer.receive({}, plain, wire); }
  void send(std::string_view bytes) { status = layer.send(bytes, wire); }
  std::string take_wire() {
    std::string bytes(wire.view());
    wire.clear();
    return bytes;
  }
  std::string take_plain() {
    std::string bytes(plain.view());
    plain.clear();
    return bytes;
  }
};
using ServerEnd = End<ServerLayer>;
using ClientEnd = End<ClientLayer>;

inline std::shared_ptr<Worker> make_worker(CertificateSource* source = nullptr) {
  return std::make_shared<Worker>(nullptr, source);
}

// OpenSSL over its own memory BIOs.
class RawClient {
 public:
  explicit RawClient(const std::function<void(SSL_CTX*)>& set_up = {})
      : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_session_cache_mode(context_.get(),
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context_.get(), [](SSL* ssl, SSL_SESSION* session) {
      static_cast<RawClient*>(SSL_get_app_data(ssl))->session_.reset(session);
      return 1;
    });
    if (set_up) set_up(context_.get());
  }

  ~RawClient() {
    // A session lives on though its connection was just dropped.
    if (ssl_ != nullptr) SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // `name` empty: no SNI. Resumes `session` where given.
  void connect(const std::string& name, SSL_SESSION* session = nullptr) {
    ssl_.reset(SSL_new(context_.get()));
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    BIO_set_mem_eof_return(in_, -1);
    SSL_set_bio(ssl_.get(), in_, out_);
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_connect_state(ssl_.get());
    if (!name.empty()) {
      SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(name.c_str()));
    }
    // A copy: OpenSSL uses a ticket of TLS 1.3 once.
    if (session != nullptr) {
      const SessionPointer copy(SSL_SESSION_dup(session));
      SSL_set_session(ssl_.get(), copy.get());
    }
    alert_ = -1;
    SSL_set_info_callback(ssl_.get(), [](const SSL* ssl, int where, int value) {
      auto* self = static_cast<RawClient*>(SSL_get_app_data(ssl));
      if ((where & SSL_CB_READ_ALERT) == SSL_CB_READ_ALERT) self->alert_ = value & 0xff;
    });
    step();
  }
  // Reads what has come, as far as it goes.
  void step() {
    char bytes[4096];
    int count = 0;
    while ((count = SSL_read(ssl_.get(), bytes, sizeof bytes)) > 0) {
      plain_.append(bytes, static_cast<size_t>(count));
    }
    failed_ = SSL_get_error(ssl_.get(), count) == SSL_ERROR_SSL;
    ERR_clear_error();
  }
  void receive(std::string_view bytes) {
    BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
    step();
  }
  std::string take_wire() {
    char* data = nullptr;
    const long size = BIO_get_mem_data(out_, &data);
    std::string bytes(data, static_cast<size_t>(size));
    (void)BIO_reset(out_);
    return bytes;
  }
  void send(std::string_view bytes) {
    SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }

  SSL* ssl() { return ssl_.get(); }
  SSL_CTX* context() { return context_.get(); }
  bool established() const { return SSL_is_init_finished(ssl_.get()) == 1; }
  bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
  bool failed() const { return failed_; }
  int alert() const { return alert_; }  // received; -1: none
  std::string& plain() { return plain_; }
  SSL_SESSION* session() { return session_.get(); }
  SessionPointer take_session() { return std::move(session_); }
  // Common name of the server's certificate; empty when it showed none.
  std::string server_subject() const {
    const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
    if (certificate == nullptr) return {};
    char name[256] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name,
                              sizeof name);
    return name;
  }

 private:
  ContextPointer context_;
  SslPointer ssl_;
  SessionPointer session_;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
  int alert_ = -1;
  bool failed_ = false;
  std::string plain_;
};

// Until both are silent. Pieces of `piece` bytes to the server.
inline void exchange(RawClient& client, ServerEnd& server, size_t piece = kWhole) {
  for (int i = 0; i < 20; ++i) {
    const std::string to_server = client.take_wire();
    if (!to_server.empty()) server.receive(to_server, piece);
    const std::string to_client = server.take_wire();
    if (!to_client.empty()) client.receive(to_client);
    if (to_server.empty() && to_client.empty()) return;
  }
  ADD_FAILURE() << "no end";
}

inline void exchange(ClientEnd& client, ServerEnd& server, size_t piece = kWhole) {
  for (int i = 0; i < 20; ++i) {
    const std::string to_server = client.take_wire();
    if (!to_server.empty()) server.receive(to_server, piece);
    const std::string to_client = server.take_wire();
    if (!to_client.empty()) client.receive(to_client, piece);
    if (to_server.empty() && to_client.empty()) return;
  }
  ADD_FAILURE() << "no end";
}

// Files of an authority, a server certificate and client certificates, and contexts from them.
class TlsTest : public ::testing::Test {
 protected:
  TlsTest() { ca_file_ = folder_.write("ca.pem", authority_.certificate_pem()); }

  CertificateFiles issue(const std::string& name, const Wanted& wanted) {
    return folder_.write(name, authority_.issue(wanted));
  }
  // A certificate for this DNS name, which is its common name too.
  CertificateFiles issue(const std::string& name) {
    return issue(name == "*" ? "any" : name, {.subject = name, .names = "DNS:" + name});
  }
  SiteOptions site(std::vector<std::string> hosts, CertificateFiles files) {
    SiteOptions made{.hosts = std::move(hosts), .tls = {}};
    made.tls.certificates.push_back(std::move(files));
    return made;
  }
  std::shared_ptr<const ServerContext> make(const ContextOptions& options) {
    auto made = ServerContext::create(options, keys_, time(nullptr));
    EXPECT_TRUE(made) << made.error();
    return made ? *made : nullptr;
  }
  std::string error_of(const ContextOptions& options) {
    const auto made = ServerContext::create(options, keys_, time(nullptr));
    EXPECT_FALSE(made);
    return made ? "" : made.error();
  }
  std::shared_ptr<const ClientContext> make_client(ClientOptions options,
                                                   std::vector<std::string> alpn = {"http/1.1"}) {
    if (options.ca.empty() && options.verify) options.ca = ca_file_;
    auto made = ClientContext::create(std::move(options), std::move(alpn), system_, time(nullptr));
    EXPECT_TRUE(made) << made.error();
    return made ? *made : nullptr;
  }

  Folder folder_;
  Authority authority_;
  std::string ca_file_;
  std::shared_ptr<TicketKeys> keys_ = std::make_shared<TicketKeys>(kNow);
  SystemAuthorities system_;
};

}  // namespace tls::testing
