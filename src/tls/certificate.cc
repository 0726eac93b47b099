#include "tls/certificate.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <format>

#include "base/address.h"
#include "io/file.h"
#include "tls/files.h"

namespace tls {

namespace {

// Called for a passphrase: notes that one is needed, gives none.
int refuse_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

std::expected<KeyPointer, std::string> parse_key(std::string_view pem, const std::string& path) {
  BioPointer bio = text_bio(pem);
  bool asked = false;
  KeyPointer key(PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_passphrase, &asked));
  ERR_clear_error();
  if (key != nullptr) return key;
  if (asked) {
    return std::unexpected(
        std::format("the key {} is protected by a passphrase: write one without it (openssl pkey "
                    "-in {} -out …)",
                    path, path));
  }
  return std::unexpected(std::format(
      "the key {} holds no private key: it must be PEM (-----BEGIN PRIVATE KEY-----)", path));
}

std::string ip_text(const ASN1_OCTET_STRING* ip) {
  const int size = ASN1_STRING_length(ip);
  const unsigned char* bytes = ASN1_STRING_get0_data(ip);
  base::IpBytes text{};
  if (size == 4) {
    return base::Address::ipv4(
               static_cast<uint32_t>(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3], 0)
        .ip_string();
  }
  if (size != 16) return {};
  std::copy_n(bytes, 16, text.begin());
  return base::Address::ipv6(text, 0).ip_string();
}

}  // namespace

std::expected<std::shared_ptr<const Certificate>, std::string> Certificate::parse(
    std::string_view certificate_pem, std::string_view key_pem, const CertificateFiles& names) {
  std::shared_ptr<Certificate> made(new Certificate);
  made->files_ = names;
  BioPointer bio = text_bio(certificate_pem);
  made->leaf_.reset(PEM_read_bio_X509_AUX(bio.get(), nullptr, nullptr, nullptr));
  if (made->leaf_ == nullptr) {
    ERR_clear_error();
    return std::unexpected(
        std::format("the certificate {} holds none: it must be PEM (-----BEGIN CERTIFICATE-----)",
                    names.certificate));
  }
  made->chain_.reset(sk_X509_new_null());
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    sk_X509_push(made->chain_.get(), next);
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (const std::string reason = take_openssl_error(); !at_end) {
    return std::unexpected(
        std::format("the certificate {}: its chain is broken: {}", names.certificate, reason));
  }
  auto key = parse_key(key_pem, names.key.empty() ? names.certificate : names.key);
  if (!key) return std::unexpected(key.error());
  made->key_ = std::move(*key);
  if (X509_check_private_key(made->leaf_.get(), made->key_.get()) != 1) {
    ERR_clear_error();
    return std::unexpected(std::format(
        "the key {} does not belong to the certificate {}: name the two that were made together "
        "(the server's own certificate stands first in its file)",
        names.key.empty() ? names.certificate : names.key, names.certificate));
  }
  made->describe();
  return made;
}

std::expected<std::shared_ptr<const Certificate>, std::string> Certificate::load(
    const CertificateFiles& files, std::int64_t unix_time, std::vector<std::string>& warnings) {
  auto certificate = read_pem_file("certificate", files.certificate);
  if (!certificate) return std::unexpected(certificate.error());
  const std::string& key_path = files.key.empty() ? files.certificate : files.key;
  auto key = files.key.empty() ? certificate : read_pem_file("key", files.key);
  if (!key) return std::unexpected(key.error());
  auto made = parse(*certificate, *key, files);
  OPENSSL_cleanse(key->data(), key->size());
  if (!made) return made;
  if (auto status = io::file_status(key_path); status && (status->mode & 07) != 0) {
    warnings.push_back(std::format("every user of this machine may read the key {}: chmod 0640 {}",
                                   key_path, key_path));
  }
  if ((*made)->not_after() < unix_time) {
    warnings.push_back(std::format("the certificate {} expired on {}: renew it", files.certificate,
                                   date_text((*made)->not_after())));
  } else if ((*made)->not_before() > unix_time) {
    warnings.push_back(std::format("the certificate {} is not valid before {}: check the clock",
                                   files.certificate, date_text((*made)->not_before())));
  }
  return made;
}

void Certificate::describe() {
  X509* leaf = leaf_.get();
  X509_check_purpose(leaf, -1, 0);  // parses its extensions now rather than on a worker
  not_before_ = unix_time_of(X509_get0_notBefore(leaf));
  not_after_ = unix_time_of(X509_get0_notAfter(leaf));
  fingerprint_ = fingerprint_of(leaf);
  const char* type = EVP_PKEY_get0_type_name(key_.get());
  key_type_ = type != nullptr ? type : "";
  auto* names =
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(leaf, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    int kind = 0;
    void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &kind);
    if (kind == GEN_DNS) {
      const auto* name = static_cast<const ASN1_IA5STRING*>(value);
      names_.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name)),
                          static_cast<size_t>(ASN1_STRING_length(name)));
    } else if (kind == GEN_IPADD) {
      names_.push_back(ip_text(static_cast<const ASN1_OCTET_STRING*>(value)));
    }
  }
  GENERAL_NAMES_free(names);
  ERR_clear_error();
}

bool Certificate::covers(std::string_view host) const {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return false;
  if (base::Address::parse_ip(host)) {
    return X509_check_ip_asc(leaf_.get(), std::string(host).c_str(), 0) == 1;
  }
  return X509_check_host(leaf_.get(), host.data(), host.size(),
                         X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr) == 1;
}

bool Certificate::apply(SSL* ssl) const {
  return SSL_use_cert_and_key(ssl, leaf_.get(), key_.get(), chain_.get(), 1) == 1;
}

}  // namespace tls
