#include "tls/client_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <format>
#include <utility>

#include "base/address.h"
#include "tls/client_layer.h"
#include "tls/files.h"

namespace tls {

std::expected<X509_STORE*, std::string> SystemAuthorities::store() {
  if (store_ != nullptr) return store_.get();
  const char* named = std::getenv(X509_get_default_cert_file_env());
  std::string tried;
  // The bundle of ca-certificates, which OpenSSL as Debian builds it knows only as a folder of
  // links: those would be read in the middle of a handshake.
  for (const char* path :
       {named, "/etc/ssl/certs/ca-certificates.crt", X509_get_default_cert_file()}) {
    if (path == nullptr) continue;
    auto loaded = load_authorities(path, {});
    if (loaded) {
      store_ = std::move(*loaded);
      return store_.get();
    }
    tried += tried.empty() ? path : std::format(", {}", path);
  }
  return std::unexpected(
      std::format("the system has no CA certificates (tried {}): install ca-certificates, or name "
                  "`ca` under the upstream's `tls`",
                  tried));
}

std::expected<std::shared_ptr<const ClientContext>, std::string> ClientContext::create(
    ClientOptions options, std::vector<std::string> alpn, SystemAuthorities& system,
    std::int64_t unix_time) {
  std::shared_ptr<ClientContext> made(new ClientContext);
  made->options_ = std::move(options);
  const ClientOptions& wanted = made->options_;
  for (const std::string& file : {wanted.ca, wanted.certificate, wanted.key}) {
    made->files_.add(file);
  }
  made->context_.reset(SSL_CTX_new(TLS_client_method()));
  SSL_CTX* context = made->context_.get();
  if (context == nullptr) return std::unexpected(take_openssl_error());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_verify(context, wanted.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  X509_VERIFY_PARAM* verify = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (!wanted.ca.empty()) {
    auto store = load_authorities(wanted.ca, {});
    if (!store) return std::unexpected(store.error());
    SSL_CTX_set1_cert_store(context, store->get());
    // Who names an intermediate CA, or the origin's certificate itself, trusts that one.
    X509_VERIFY_PARAM_set_flags(verify, X509_V_FLAG_PARTIAL_CHAIN);
  } else if (wanted.verify) {
    auto store = system.store();
    if (!store) return std::unexpected(store.error());
    SSL_CTX_set1_cert_store(context, *store);
  }
  if (!wanted.certificate.empty()) {
    auto own = Certificate::load({wanted.certificate, wanted.key}, unix_time, made->warnings_);
    if (!own) return std::unexpected(own.error());
    made->certificate_ = std::move(*own);
    const SslPointer ssl(SSL_new(context));
    if (!made->certificate_->apply(ssl.get())) {
      return std::unexpected(std::format("the certificate {} can't be used: {}", wanted.certificate,
                                         take_openssl_error()));
    }
  }
  std::string wire;
  for (const std::string& name : alpn) {
    wire += static_cast<char>(name.size());
    wire += name;
  }
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(wire.data()),
                          static_cast<unsigned int>(wire.size()));
  keep_sessions(context);
  return made;
}

SslPointer ClientContext::make_ssl(std::string_view name) const {
  if (name.ends_with('.')) name.remove_suffix(1);
  SslPointer ssl(SSL_new(context_.get()));
  if (ssl == nullptr) return nullptr;
  SSL_set_connect_state(ssl.get());
  if (certificate_ != nullptr && !certificate_->apply(ssl.get())) return nullptr;
  const std::string text(name);
  if (base::Address::parse_ip(name)) {
    // RFC 6066 3: no addresses in SNI.
    if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), text.c_str()) != 1) return nullptr;
    return ssl;
  }
  // Verification without a name would take any certificate of any CA. A NUL would cut the name.
  if (text.empty() || text.contains('\0')) {
    return options_.verify || !text.empty() ? nullptr : std::move(ssl);
  }
  if (SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(text.c_str())) != 1)
    return nullptr;
  if (SSL_set1_host(ssl.get(), text.c_str()) != 1) return nullptr;
  return ssl;
}

}  // namespace tls
