// What is told about the other side's certificate: text for logs, templates and fields towards
// origins. Made when asked for, not for every connection; a certificate from a client was verified,
// or the handshake would have failed.
#pragma once

#include <string>

#include "tls/openssl.h"

namespace tls {

struct PeerCertificate {
  bool present = false;
  bool verified = false;    // against the CA (and CRL) of the site
  std::string subject;      // RFC 2253
  std::string fingerprint;  // SHA-256, lower-case hex
  std::string serial;       // hex
};

PeerCertificate peer_certificate(const SSL* ssl);

}  // namespace tls
