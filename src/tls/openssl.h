// Owners of OpenSSL's objects, and its errors as text.
//
// OpenSSL itself is included by the files of tls/ (and later quic/) alone; who uses tls/ sees only
// the forward declarations here.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

using SSL_SESSION = struct ssl_session_st;
struct stack_st_X509;

namespace tls {

// Frees with the function that OpenSSL has for the type.
template <typename T>
struct OpensslDeleter {
  void operator()(T* object) const;
};
template <>
void OpensslDeleter<BIO>::operator()(BIO* object) const;
template <>
void OpensslDeleter<X509>::operator()(X509* object) const;
template <>
void OpensslDeleter<EVP_CIPHER>::operator()(EVP_CIPHER* object) const;
template <>
void OpensslDeleter<SSL_CTX>::operator()(SSL_CTX* object) const;
template <>
void OpensslDeleter<X509_CRL>::operator()(X509_CRL* object) const;
template <>
void OpensslDeleter<EVP_PKEY>::operator()(EVP_PKEY* object) const;
template <>
void OpensslDeleter<SSL_SESSION>::operator()(SSL_SESSION* object) const;
template <>
void OpensslDeleter<SSL>::operator()(SSL* object) const;
template <>
void OpensslDeleter<X509_STORE>::operator()(X509_STORE* object) const;
template <>
void OpensslDeleter<X509_STORE_CTX>::operator()(X509_STORE_CTX* object) const;

template <typename T>
using OpensslPointer = std::unique_ptr<T, OpensslDeleter<T>>;

using BioPointer = OpensslPointer<BIO>;
using CertificatePointer = OpensslPointer<X509>;
using CipherPointer = OpensslPointer<EVP_CIPHER>;
using ContextPointer = OpensslPointer<SSL_CTX>;
using CrlPointer = OpensslPointer<X509_CRL>;
using KeyPointer = OpensslPointer<EVP_PKEY>;
using SessionPointer = OpensslPointer<SSL_SESSION>;
using SslPointer = OpensslPointer<SSL>;
using StorePointer = OpensslPointer<X509_STORE>;
using VerificationPointer = OpensslPointer<X509_STORE_CTX>;

struct CertificateStackDeleter {
  void operator()(stack_st_X509* stack) const;  // and its certificates
};
using CertificateStack = std::unique_ptr<stack_st_X509, CertificateStackDeleter>;

// The reason of the first error in the thread's queue, which is emptied: "no shared cipher". Empty
// when there is none.
std::string take_openssl_error();

}  // namespace tls
