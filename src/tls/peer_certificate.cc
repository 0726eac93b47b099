#include "tls/peer_certificate.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "tls/files.h"

namespace tls {

PeerCertificate peer_certificate(const SSL* ssl) {
  PeerCertificate told;
  const X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return told;
  told.present = true;
  told.verified = SSL_get_verify_result(ssl) == X509_V_OK;
  told.fingerprint = fingerprint_of(certificate);
  const BioPointer text(BIO_new(BIO_s_mem()));
  if (X509_NAME_print_ex(text.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) >= 0) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(text.get(), &data);
    told.subject.assign(data, static_cast<size_t>(size));
  }
  BIGNUM* serial = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  if (char* hex = serial != nullptr ? BN_bn2hex(serial) : nullptr) {
    told.serial = hex;
    OPENSSL_free(hex);
  }
  BN_free(serial);
  return told;
}

}  // namespace tls
