#include "tls/files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <format>

#include "base/text.h"
#include "io/file.h"
#include "io/privileges.h"

namespace tls {

namespace {

// Certificates and lists of revoked ones; a list of a large CA has some MiB.
constexpr size_t kPemSizeMax = 64 << 20;

std::string advice(int code, const std::string& path) {
  if (code == ENOENT) return "name a file that exists";
  if (code == EACCES) return "type: " + io::access_advice(path);
  return "name a readable file";
}

}  // namespace

std::expected<std::string, std::string> read_pem_file(std::string_view what,
                                                      const std::string& path) {
  auto text = io::read_file(path, kPemSizeMax);
  if (text) return std::move(*text);
  const io::Error& error = text.error();
  const std::string reason =
      error.kind == io::Error::Kind::system ? std::strerror(error.code) : error.text();
  return std::unexpected(
      std::format("can't read the {} {}: {}: {}", what, path, reason, advice(error.code, path)));
}

BioPointer text_bio(std::string_view text) {
  return BioPointer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::int64_t unix_time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  return timegm(&parts);
}

std::string date_text(std::int64_t unix_time) {
  const std::time_t time = unix_time;
  std::tm parts{};
  gmtime_r(&time, &parts);
  return std::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += base::kLowerHex[digest[i] >> 4];
    text += base::kLowerHex[digest[i] & 15];
  }
  return text;
}

namespace {

std::expected<void, std::string> add_certificates(X509_STORE* store, const std::string& path) {
  auto text = read_pem_file("CA file", path);
  if (!text) return std::unexpected(text.error());
  BioPointer bio = text_bio(*text);
  size_t count = 0;
  while (CertificatePointer certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store, certificate.get()) != 1) {
      return std::unexpected(std::format("the CA file {}: {}", path, take_openssl_error()));
    }
    // Has its extensions parsed now, not in the middle of the first handshake on several threads.
    // What is broken in them is said by the verification that needs them.
    X509_check_purpose(certificate.get(), -1, 0);
    ERR_clear_error();
    ++count;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = take_openssl_error();
  if (count == 0) {
    return std::unexpected(std::format(
        "the CA file {} holds no certificate: it must be PEM (-----BEGIN CERTIFICATE-----)", path));
  }
  if (!at_end) {
    return std::unexpected(
        std::format("the CA file {}: its certificate {} is broken: {}", path, count + 1, reason));
  }
  return {};
}

std::expected<void, std::string> add_revocations(X509_STORE* store, const std::string& path) {
  auto text = read_pem_file("CRL file", path);
  if (!text) return std::unexpected(text.error());
  BioPointer bio = text_bio(*text);
  size_t count = 0;
  while (CrlPointer crl{PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)}) {
    X509_STORE_add_crl(store, crl.get());
    ++count;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  const std::string reason = take_openssl_error();
  if (count == 0 || !at_end) {
    return std::unexpected(
        std::format("the CRL file {} holds no list of revoked certificates: it must be PEM "
                    "(-----BEGIN X509 CRL-----)",
                    path));
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

}  // namespace

std::expected<StorePointer, std::string> load_authorities(const std::string& ca,
                                                          const std::string& crl) {
  StorePointer store(X509_STORE_new());
  if (auto added = add_certificates(store.get(), ca); !added) {
    return std::unexpected(added.error());
  }
  if (!crl.empty()) {
    if (auto added = add_revocations(store.get(), crl); !added) {
      return std::unexpected(added.error());
    }
  }
  return store;
}

}  // namespace tls
