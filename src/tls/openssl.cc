#include "tls/openssl.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstring>

namespace tls {

template <>
void OpensslDeleter<BIO>::operator()(BIO* object) const {
  BIO_free_all(object);
}
template <>
void OpensslDeleter<X509>::operator()(X509* object) const {
  X509_free(object);
}
template <>
void OpensslDeleter<EVP_CIPHER>::operator()(EVP_CIPHER* object) const {
  EVP_CIPHER_free(object);
}
template <>
void OpensslDeleter<SSL_CTX>::operator()(SSL_CTX* object) const {
  SSL_CTX_free(object);
}
template <>
void OpensslDeleter<X509_CRL>::operator()(X509_CRL* object) const {
  X509_CRL_free(object);
}
template <>
void OpensslDeleter<EVP_PKEY>::operator()(EVP_PKEY* object) const {
  EVP_PKEY_free(object);
}
template <>
void OpensslDeleter<SSL_SESSION>::operator()(SSL_SESSION* object) const {
  SSL_SESSION_free(object);
}
template <>
void OpensslDeleter<SSL>::operator()(SSL* object) const {
  SSL_free(object);
}
template <>
void OpensslDeleter<X509_STORE>::operator()(X509_STORE* object) const {
  X509_STORE_free(object);
}
template <>
void OpensslDeleter<X509_STORE_CTX>::operator()(X509_STORE_CTX* object) const {
  X509_STORE_CTX_free(object);
}
void CertificateStackDeleter::operator()(stack_st_X509* stack) const {
  sk_X509_pop_free(stack, X509_free);
}

std::string take_openssl_error() {
  const unsigned long code = ERR_get_error();
  if (code == 0) return {};
  ERR_clear_error();
  if (ERR_SYSTEM_ERROR(code)) return std::strerror(ERR_GET_REASON(code));
  if (const char* reason = ERR_reason_error_string(code)) return reason;
  return "error " + std::to_string(code);
}

}  // namespace tls
