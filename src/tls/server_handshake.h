// The choices of one server handshake: which site by SNI, which policy, which certificates.
//
// OpenSSL's callbacks find it through the SSL that it was attached to; TCP's layer and later QUIC's
// connection each have one. Lives as long as the connection, for may_serve().
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tls/certificate_source.h"
#include "tls/context.h"
#include "tls/openssl.h"

namespace tls {

class ServerHandshake {
 public:
  ServerHandshake(std::shared_ptr<const ServerContext> context, CertificateSource* source)
      : context_(std::move(context)), source_(source) {}
  ~ServerHandshake();
  ServerHandshake(const ServerHandshake&) = delete;
  ServerHandshake& operator=(const ServerHandshake&) = delete;

  void attach(SSL* ssl);
  // Called when a certificate that the handshake waits for has arrived.
  void set_ready(std::move_only_function<void()> ready) { ready_ = std::move(ready); }

  const ServerContext& context() const { return *context_; }
  const ServerContext::Site* site() const { return site_; }
  const std::string& server_name() const { return server_name_; }  // lower case, empty without SNI
  bool may_serve(std::string_view host);

 private:
  friend class CertificateRequest;
  friend struct ContextCallbacks;

  // Callbacks of OpenSSL, by their return values.
  int on_client_hello(SSL* ssl, int* alert);
  int on_certificate(SSL* ssl);
  bool read_server_name(SSL* ssl, int* alert);
  bool choose_site(SSL* ssl, int* alert);
  bool apply_policy(SSL* ssl);
  void answer(CertificateSet certificates);

  std::shared_ptr<const ServerContext> context_;
  CertificateSource* source_;
  const ServerContext::Site* site_ = nullptr;
  std::string server_name_;
  std::shared_ptr<CertificateRequest> request_;
  CertificateSet arrived_;
  std::move_only_function<void()> ready_;
  std::string last_host_;  // of may_serve(): requests mostly repeat it
  bool last_answer_ = false;
  bool hello_seen_ = false;
  bool answered_ = false;
};

}  // namespace tls
