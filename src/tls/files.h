// Files that TLS is made of, read as one sentence on failure.
//
// For start-up and reload only.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "tls/openssl.h"

namespace tls {

// `what` is the file's part in the sentence: "certificate", "key".
std::expected<std::string, std::string> read_pem_file(std::string_view what,
                                                      const std::string& path);

// A BIO that reads from `text`, which must outlive it.
BioPointer text_bio(std::string_view text);

// A store with the certificates of a CA file, at least one; with `crl`, revocation is checked along
// the whole chain.
std::expected<StorePointer, std::string> load_authorities(const std::string& ca,
                                                          const std::string& crl);

// `2031-01-02` of an ASN.1 or unix time.
std::string date_text(std::int64_t unix_time);
std::int64_t unix_time_of(const ASN1_TIME* time);

// Lower-case hex of a SHA-256 hash.
std::string fingerprint_of(const X509* certificate);

}  // namespace tls
