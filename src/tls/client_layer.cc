#include "tls/client_layer.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <utility>

#include "base/text.h"

namespace tls {

namespace {

int layer_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

struct ClientCallbacks {
  // TLS 1.3: once for each ticket, after the handshake.
  static int new_session(SSL* ssl, SSL_SESSION* session) {
    auto* layer = static_cast<ClientLayer*>(SSL_get_ex_data(ssl, layer_index()));
    return layer != nullptr && layer->keep_session(session) ? 1 : 0;
  }
};

void keep_sessions(SSL_CTX* context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, ClientCallbacks::new_session);
}

ClientLayer::ClientLayer(std::shared_ptr<const ClientContext> context, std::string_view host,
                         std::shared_ptr<SessionSlot> slot, std::shared_ptr<Worker> worker)
    : context_(std::move(context)),
      name_(base::lower(context_->options().server_name.empty()
                            ? host
                            : std::string_view(context_->options().server_name))),
      slot_(std::move(slot)),
      engine_(context_->make_ssl(name_), std::move(worker),
              Engine::kHandshakeSizeMax + Engine::kCertificatesSizeMax) {
  SSL* ssl = engine_.ssl();
  if (ssl == nullptr) {
    ERR_clear_error();  // it would be taken for the next connection's
    engine_.fail("\"" + name_ + "\" can't be verified");
    return;
  }
  SSL_set_ex_data(ssl, layer_index(), this);
  if (slot_ == nullptr || slot_->session_ == nullptr) return;
  // What another context verified (other CAs, or none) is not verified for this one.
  if (slot_->context_ == context_ && slot_->name_ == name_) {
    SSL_set_session(ssl, slot_->session_.get());
  } else {
    slot_->clear();
  }
}

io::Error ClientLayer::error() const {
  io::Error error = engine_.error();
  if (engine_.ssl() == nullptr || engine_.established()) return error;
  const long verdict = SSL_get_verify_result(engine_.ssl());
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    error.detail += ", expected \"" + name_ + '"';
  }
  return error;
}

bool ClientLayer::keep_session(SSL_SESSION* session) {
  if (slot_ == nullptr || SSL_SESSION_is_resumable(session) != 1) return false;
  slot_->context_ = context_;
  slot_->name_ = name_;
  slot_->session_.reset(session);
  return true;
}

}  // namespace tls
