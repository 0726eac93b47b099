// A certificate with its chain and key, checked when it is loaded.
//
// Immutable, shared by all workers and by the sites that name the same files. Loading is for
// start-up and reload, never for the path of a handshake. The errors are one sentence that names
// the file and says what to do (T07); what works but should not stay so (expired, a key that others
// may read) is a warning.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/openssl.h"
#include "tls/options.h"

namespace tls {

class Certificate {
 public:
  // `warnings` grows by those of this certificate.
  static std::expected<std::shared_ptr<const Certificate>, std::string> load(
      const CertificateFiles& files, std::int64_t unix_time, std::vector<std::string>& warnings);
  // The same from PEM text (what an ACME client has in memory). `names` are used in errors.
  static std::expected<std::shared_ptr<const Certificate>, std::string> parse(
      std::string_view certificate_pem, std::string_view key_pem, const CertificateFiles& names);

  // Whether it is valid for a host name or IP address (RFC 9525).
  bool covers(std::string_view host) const;
  // Gives it to one connection. Several of different key types may be given.
  bool apply(SSL* ssl) const;

  std::int64_t not_before() const { return not_before_; }
  std::int64_t not_after() const { return not_after_; }
  const CertificateFiles& files() const { return files_; }
  // DNS names and IP addresses of its subject alternative names.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& fingerprint() const { return fingerprint_; }  // SHA-256, lower-case hex
  const std::string& key_type() const { return key_type_; }        // "EC", "RSA", "ED25519"

 private:
  Certificate() = default;
  void describe();

  CertificateFiles files_;
  CertificatePointer leaf_;
  CertificateStack chain_;
  KeyPointer key_;
  std::vector<std::string> names_;
  std::string fingerprint_;
  std::string key_type_;
  std::int64_t not_before_ = 0;
  std::int64_t not_after_ = 0;
};

// What one name is served with: one certificate per key type (ECDSA, RSA), the client's signature
// algorithms decide.
using CertificateSet = std::vector<std::shared_ptr<const Certificate>>;

}  // namespace tls
