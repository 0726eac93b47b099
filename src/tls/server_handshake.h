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
  // `source` may be nullptr.
  ServerHandshake(std::shared_ptr<const ServerContext> context, CertificateSource* source)
      : context_(std::move(context)), source_(source) {}
  ~ServerHandshake();
  ServerHandshake(const ServerHandshake&) = delete;
  ServerHandshake& operator=(const ServerHandshake&) = delete;

  // To an SSL made by context().make_ssl(); must outlive its handshake.
  void attach(SSL* ssl);
  // Called when a certificate that the handshake waits for has arrived.
  void set_ready(std::move_only_function<void()> ready) { ready_ = std::move(ready); }

  const ServerContext& context() const { return *context_; }
  // Chosen by the ClientHello; nullptr before.
  const ServerContext::Site* site() const { return site_; }
  // SNI, lower case, without a final dot; empty when the client named nobody.
  const std::string& server_name() const { return server_name_; }
  // Whether a request for `host` may be answered here (T03).
  bool may_serve(std::string_view host);

 private:
  friend class CertificateRequest;
  friend struct HandshakeCallbacks;

  bool read_server_name(SSL* ssl, int* alert);
  bool choose_site(SSL* ssl, int* alert);
  bool apply_policy(SSL* ssl);
  // 1: they are in place, -1: not yet, 0: none will come.
  int choose_certificates(SSL* ssl);
  bool may_resume(SSL_SESSION* session) const;
  const CertificateSet& certificates() const;
  void answer(CertificateSet certificates);

  std::shared_ptr<const ServerContext> context_;
  CertificateSource* source_;
  const ServerContext::Site* site_ = nullptr;
  std::string server_name_;
  std::shared_ptr<CertificateRequest> request_;
  CertificateSet arrived_;  // from the source
  std::move_only_function<void()> ready_;
  std::string last_host_;  // of may_serve(): a connection's requests mostly repeat it
  bool last_answer_ = false;
  bool name_known_ = false;  // the site was chosen by the name
  bool answered_ = false;    // by the source
  bool asking_ = false;      // within CertificateSource::find
};

// Has the handshakes of an SSL_CTX served by the ServerHandshake of each SSL.
void install_callbacks(SSL_CTX* context);

}  // namespace tls
