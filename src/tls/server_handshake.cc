#include "tls/server_handshake.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/text.h"

namespace tls {

namespace {

// Where an SSL keeps its handshake. Not its app data, which ngtcp2 claims for itself.
int handshake_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

// Takes a big-endian number of `size` bytes off `bytes`; false when there are fewer.
bool take_number(std::string_view& bytes, size_t size, size_t& number) {
  if (bytes.size() < size) return false;
  number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(size);
  return true;
}

// RFC 6066 3. The name, or nothing when the extension is not well-formed.
std::optional<std::string_view> host_name(std::string_view extension) {
  size_t list_size = 0;
  size_t type = 0;
  size_t name_size = 0;
  if (!take_number(extension, 2, list_size) || list_size != extension.size()) return {};
  // host_name is the only type there is, and "MUST NOT contain more than one name of the same".
  if (!take_number(extension, 1, type) || type != TLSEXT_NAMETYPE_host_name) return {};
  if (!take_number(extension, 2, name_size) || name_size != extension.size()) return {};
  if (extension.empty() || extension.size() > TLSEXT_MAXLEN_host_name) return {};
  for (const char c : extension) {
    if (c <= ' ' || c >= 0x7f) return {};
  }
  return extension;
}

}  // namespace

// OpenSSL's callbacks, each for the handshake of its SSL.
struct HandshakeCallbacks {
  static ServerHandshake& of(const SSL* ssl) {
    return *static_cast<ServerHandshake*>(SSL_get_ex_data(ssl, handshake_index()));
  }

  static int client_hello(SSL* ssl, int* alert, void*) {
    ServerHandshake& self = of(ssl);
    const bool again = self.site_ != nullptr;  // after HelloRetryRequest
    const std::string before = again ? self.server_name_ : std::string();
    if (!self.read_server_name(ssl, alert)) return SSL_CLIENT_HELLO_ERROR;
    if (again) {
      // RFC 8446 4.1.2: the second hello names the same server.
      if (self.server_name_ == before) return SSL_CLIENT_HELLO_SUCCESS;
      *alert = SSL_AD_ILLEGAL_PARAMETER;
      return SSL_CLIENT_HELLO_ERROR;
    }
    if (!self.choose_site(ssl, alert)) return SSL_CLIENT_HELLO_ERROR;
    return SSL_CLIENT_HELLO_SUCCESS;
  }

  // The choice is made; this one says whether the name is acknowledged, and kept in the session.
  static int server_name(SSL* ssl, int*, void*) {
    return of(ssl).name_known_ ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
  }

  // RFC 7301 3.2: no protocol in common is fatal, so that no client's bytes reach a server of
  // another protocol (T06, ALPACA).
  static int alpn(SSL* ssl, const unsigned char** out, unsigned char* out_size,
                  const unsigned char* offered, unsigned int offered_size, void*) {
    const std::string& ours = of(ssl).context_->alpn_wire();
    unsigned char* chosen = nullptr;
    const int result = SSL_select_next_proto(
        &chosen, out_size, reinterpret_cast<const unsigned char*>(ours.data()),
        static_cast<unsigned int>(ours.size()), offered, offered_size);
    if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
  }

  static int certificate(SSL* ssl, void*) { return of(ssl).choose_certificates(ssl); }

  static int ticket_key(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                        EVP_MAC_CTX* mac, int seal) {
    const TicketKeys& ticket_keys = of(ssl).context_->ticket_keys();
    const std::shared_ptr<const TicketKeys::Set> keys = ticket_keys.keys();
    auto key = keys->begin();
    if (seal != 0) {
      std::ranges::copy(key->name, name);
      if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(ticket_keys.cipher())) != 1) return -1;
    } else {
      key = std::ranges::find_if(*keys, [&](const TicketKeys::Key& candidate) {
        return std::memcmp(candidate.name.data(), name, candidate.name.size()) == 0;
      });
      if (key == keys->end()) return 0;  // a full handshake follows
    }
    // OpenSSL's interface takes them non-const and leaves them alone.
    auto* mac_key = const_cast<unsigned char*>(key->mac_key.data());
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key, key->mac_key.size()),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    if (EVP_MAC_CTX_set_params(mac, parameters) != 1) return -1;
    if (EVP_CipherInit_ex(cipher, ticket_keys.cipher(), nullptr, key->cipher_key.data(), iv,
                          seal) != 1) {
      return -1;
    }
    // 2: with a new one for the client. One of TLS 1.3 is used once (RFC 8446 C.4).
    return key == keys->begin() && SSL_version(ssl) < TLS1_3_VERSION ? 1 : 2;
  }

  static int sealing(SSL* ssl, void*) {
    const auto lifetime = std::chrono::duration_cast<std::chrono::seconds>(
        of(ssl).site_->policy->options.session_tickets.lifetime);
    SSL_SESSION_set_timeout(
        SSL_get_session(ssl),
        static_cast<long>(
            std::min<std::chrono::seconds>(lifetime, TicketKeys::kLifetimeMax).count()));
    return 1;
  }

  static SSL_TICKET_RETURN opened(SSL* ssl, SSL_SESSION* session, const unsigned char*, size_t,
                                  SSL_TICKET_STATUS status, void*) {
    if (status != SSL_TICKET_SUCCESS && status != SSL_TICKET_SUCCESS_RENEW) {
      return SSL_TICKET_RETURN_IGNORE_RENEW;
    }
    if (!of(ssl).may_resume(session)) return SSL_TICKET_RETURN_IGNORE_RENEW;
    return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
  }
};

void install_callbacks(SSL_CTX* context) {
  SSL_CTX_set_client_hello_cb(context, HandshakeCallbacks::client_hello, nullptr);
  SSL_CTX_callback_ctrl(context, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB,
                        reinterpret_cast<void (*)()>(HandshakeCallbacks::server_name));
  SSL_CTX_set_alpn_select_cb(context, HandshakeCallbacks::alpn, nullptr);
  SSL_CTX_set_cert_cb(context, HandshakeCallbacks::certificate, nullptr);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, HandshakeCallbacks::ticket_key);
  SSL_CTX_set_session_ticket_cb(context, HandshakeCallbacks::sealing, HandshakeCallbacks::opened,
                                nullptr);
}

ServerHandshake::~ServerHandshake() {
  if (request_ != nullptr) request_->handshake_ = nullptr;
}

void ServerHandshake::attach(SSL* ssl) { SSL_set_ex_data(ssl, handshake_index(), this); }

bool ServerHandshake::read_server_name(SSL* ssl, int* alert) {
  const unsigned char* data = nullptr;
  size_t size = 0;
  server_name_.clear();
  if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &data, &size) != 1) return true;
  const auto name = host_name({reinterpret_cast<const char*>(data), size});
  if (!name) {
    *alert = SSL_AD_DECODE_ERROR;
    return false;
  }
  server_name_ = base::lower(name->ends_with('.') ? name->substr(0, name->size() - 1) : *name);
  return true;
}

bool ServerHandshake::choose_site(SSL* ssl, int* alert) {
  site_ = server_name_.empty() ? nullptr : context_->find(server_name_);
  name_known_ = site_ != nullptr;
  if (site_ == nullptr && context_->rejects_unknown()) {
    *alert = SSL_AD_UNRECOGNIZED_NAME;
    return false;
  }
  if (site_ == nullptr) site_ = &context_->default_site();
  // Before OpenSSL looks at a ticket: one of another site is a miss, not a way around its policy
  // (T04).
  if (!apply_policy(ssl)) {
    *alert = SSL_AD_INTERNAL_ERROR;
    return false;
  }
  return true;
}

bool ServerHandshake::apply_policy(SSL* ssl) {
  const ServerContext::Digest& session = site_->session_context;
  const bool sessions = SSL_set_session_id_context(ssl, session.data(),
                                                   static_cast<unsigned int>(session.size())) == 1;
  SSL_CTX* context = site_->policy->context.get();
  if (SSL_get_SSL_CTX(ssl) == context) return sessions;
  // SSL_set_SSL_CTX takes over ciphers, CAs and callbacks, but not what SSL_new copied.
  SSL_clear_options(ssl, SSL_OP_NO_TICKET);
  SSL_set_options(ssl, SSL_CTX_get_options(context));
  SSL_set_verify(ssl, SSL_CTX_get_verify_mode(context), nullptr);
  SSL_set_verify_depth(ssl, SSL_CTX_get_verify_depth(context));
  SSL_set_num_tickets(ssl, SSL_CTX_get_num_tickets(context));
  return sessions && SSL_set_SSL_CTX(ssl, context) == context &&
         SSL_set_min_proto_version(ssl, SSL_CTX_get_min_proto_version(context)) == 1 &&
         SSL_set_max_proto_version(ssl, SSL_CTX_get_max_proto_version(context)) == 1 &&
         SSL_set1_groups_list(ssl, site_->policy->groups.c_str()) == 1;
}

const CertificateSet& ServerHandshake::certificates() const {
  return site_->certificates.empty() ? arrived_ : site_->certificates;
}

int ServerHandshake::choose_certificates(SSL* ssl) {
  if (site_->certificates.empty() && !answered_ && source_ != nullptr) {
    if (request_ != nullptr) return -1;
    request_ = std::make_shared<CertificateRequest>(server_name_, *this);
    asking_ = true;
    source_->find(request_);
    asking_ = false;
    if (!answered_) return -1;
  }
  // Without any, OpenSSL finds no cipher in common and says so (handshake_failure).
  for (const auto& certificate : certificates()) {
    if (!certificate->apply(ssl)) return 0;
  }
  return 1;
}

void ServerHandshake::answer(CertificateSet certificates) {
  arrived_ = std::move(certificates);
  answered_ = true;
  request_->handshake_ = nullptr;
  request_.reset();
  if (!asking_ && ready_) ready_();
}

void CertificateRequest::answer(CertificateSet certificates) {
  if (handshake_ != nullptr) handshake_->answer(std::move(certificates));
}

bool ServerHandshake::may_resume(SSL_SESSION* session) const {
  if (SSL_SESSION_get_protocol_version(session) < TLS1_3_VERSION) {
    // RFC 6066 3: such a session belongs to the name that it was made for.
    const char* name = SSL_SESSION_get0_hostname(session);
    const std::string_view now = name_known_ ? std::string_view(server_name_) : "";
    if (!base::iequals(name != nullptr ? name : "", now)) return false;
  }
  X509_STORE* authorities = site_->policy->client_authorities.get();
  if (authorities == nullptr) return true;
  // T04: the client was verified once; since then its certificate may have expired or been revoked.
  // The intermediate certificates are not in the ticket: where `ca` doesn't have them either the
  // handshake is done in full.
  const ClientAuth& client_auth = site_->policy->options.client_auth;
  X509* peer = SSL_SESSION_get0_peer(session);
  if (peer == nullptr) return client_auth.mode != ClientAuthMode::kRequire;
  const VerificationPointer verification(X509_STORE_CTX_new());
  bool valid = verification != nullptr &&
               X509_STORE_CTX_init(verification.get(), authorities, peer, nullptr) == 1 &&
               X509_STORE_CTX_set_default(verification.get(), "ssl_client") == 1;
  if (valid) {
    X509_STORE_CTX_set_depth(verification.get(), static_cast<int>(client_auth.depth));
    valid = X509_verify_cert(verification.get()) == 1;
  }
  ERR_clear_error();
  return valid;
}

bool ServerHandshake::may_serve(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (site_ == nullptr) return false;
  if (!host.empty() && base::iequals(host, server_name_)) return true;
  if (host != last_host_ || last_host_.empty()) {
    last_answer_ = context_->may_serve(*site_, certificates(), host);
    last_host_ = host;
  }
  return last_answer_;
}

}  // namespace tls
