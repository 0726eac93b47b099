// For tests: certificate authorities and certificates made at run time, as files in a folder of
// their own that goes with the object.
//
// Included by tests and benchmarks alone. Keys are P-256 unless said otherwise, made once.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "tls/openssl.h"
#include "tls/options.h"

namespace tls::testing {

struct Made {
  CertificatePointer certificate;
  KeyPointer key;
};

struct Wanted {
  std::string subject = "test";   // common name
  std::string names;              // "DNS:a.example,IP:127.0.0.1"; empty: none
  std::string raw_dns_name = {};  // one DNS name as it is, NUL and all
  bool authority = false;
  bool rsa = false;
  int rsa_bits = 2048;
  long begins = -3600;  // seconds from now
  long ends = 86400;
};

inline KeyPointer make_key(const Wanted& wanted) {
  EVP_PKEY* key =
      wanted.rsa ? EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<size_t>(wanted.rsa_bits))
                 : EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
  return KeyPointer(key);
}

inline void add_extension(X509* to, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  if (X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str())) {
    X509_add_ext(to, extension, -1);
    X509_EXTENSION_free(extension);
  }
}

inline void add_raw_name(X509* to, const std::string& name) {
  GENERAL_NAMES* names = sk_GENERAL_NAME_new_null();
  GENERAL_NAME* one = GENERAL_NAME_new();
  ASN1_IA5STRING* text = ASN1_IA5STRING_new();
  ASN1_STRING_set(text, name.data(), static_cast<int>(name.size()));
  GENERAL_NAME_set0_value(one, GEN_DNS, text);
  sk_GENERAL_NAME_push(names, one);
  X509_add1_ext_i2d(to, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
  GENERAL_NAMES_free(names);
}

// Signed by `issuer`, or by itself.
inline Made make_certificate(const Wanted& wanted, const Made* issuer) {
  Made made{CertificatePointer(X509_new()), make_key(wanted)};
  X509* certificate = made.certificate.get();
  X509_set_version(certificate, X509_VERSION_3);
  std::random_device random;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), random() | 1u);
  X509_gmtime_adj(X509_getm_notBefore(certificate), wanted.begins);
  X509_gmtime_adj(X509_getm_notAfter(certificate), wanted.ends);
  X509_set_pubkey(certificate, made.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(wanted.subject.c_str()), -1, -1,
                             0);
  X509* by = issuer != nullptr ? issuer->certificate.get() : certificate;
  X509_set_issuer_name(certificate, X509_get_subject_name(by));
  add_extension(certificate, by, NID_basic_constraints,
                wanted.authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (wanted.authority) add_extension(certificate, by, NID_key_usage, "keyCertSign,cRLSign");
  add_extension(certificate, by, NID_subject_key_identifier, "hash");
  if (issuer != nullptr) add_extension(certificate, by, NID_authority_key_identifier, "keyid");
  if (!wanted.names.empty()) {
    add_extension(certificate, by, NID_subject_alt_name, wanted.names);
  }
  if (!wanted.raw_dns_name.empty()) add_raw_name(certificate, wanted.raw_dns_name);
  X509_sign(certificate, (issuer != nullptr ? issuer->key : made.key).get(), EVP_sha256());
  return made;
}

template <typename Write>
std::string pem(Write write) {
  const BioPointer bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

inline std::string pem_of(const X509* certificate) {
  return pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}
inline std::string pem_of(const EVP_PKEY* key) {
  return pem(
      [&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

// A folder of files.
class Folder {
 public:
  Folder() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() /
            ("webship-tls-" + std::to_string(random()) + std::to_string(random()));
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path(const std::string& name) const { return path_ / name; }
  std::string write(const std::string& name, std::string_view text) const {
    const std::string full = path(name);
    std::ofstream(full, std::ios::binary | std::ios::trunc) << text;
    std::filesystem::permissions(full, std::filesystem::perms(0600));
    return full;
  }
  CertificateFiles write(const std::string& name, const Made& made,
                         const std::string& chain = {}) const {
    return {write(name + ".pem", pem_of(made.certificate.get()) + chain),
            write(name + ".key", pem_of(made.key.get()))};
  }

 private:
  std::filesystem::path path_;
};

// An authority that signs what is asked for, and revokes.
class Authority {
 public:
  explicit Authority(std::string name = "Test CA", const Authority* parent = nullptr)
      : made_(make_certificate({.subject = std::move(name), .authority = true},
                               parent != nullptr ? &parent->made_ : nullptr)) {}
  Made issue(const Wanted& wanted) const { return make_certificate(wanted, &made_); }
  std::string certificate_pem() const { return pem_of(made_.certificate.get()); }

  // The list of revoked certificates, with these.
  std::string crl_pem(std::initializer_list<const X509*> revoked) const {
    const CrlPointer crl(X509_CRL_new());
    X509_CRL_set_version(crl.get(), X509_CRL_VERSION_2);
    X509_CRL_set_issuer_name(crl.get(), X509_get_subject_name(made_.certificate.get()));
    ASN1_TIME* time = X509_gmtime_adj(nullptr, -3600);
    X509_CRL_set1_lastUpdate(crl.get(), time);
    X509_gmtime_adj(time, 86400);
    X509_CRL_set1_nextUpdate(crl.get(), time);
    for (const X509* certificate : revoked) {
      X509_REVOKED* entry = X509_REVOKED_new();
      X509_gmtime_adj(time, -60);
      X509_REVOKED_set_revocationDate(entry, time);
      X509_REVOKED_set_serialNumber(entry,
                                    const_cast<ASN1_INTEGER*>(X509_get0_serialNumber(certificate)));
      X509_CRL_add0_revoked(crl.get(), entry);
    }
    ASN1_TIME_free(time);
    X509_CRL_sign(crl.get(), made_.key.get(), EVP_sha256());
    return pem([&](BIO* bio) { PEM_write_bio_X509_CRL(bio, crl.get()); });
  }

 private:
  Made made_;
};

}  // namespace tls::testing
