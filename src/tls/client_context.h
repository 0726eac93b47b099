// How origins are spoken to over TLS: whom to trust, what to show, what to offer.
//
// One per upstream group, immutable, shared by all workers. Verification is on unless the options
// say otherwise (T08). The system's CAs are loaded once for all contexts of a configuration
// (SystemAuthorities), whole, so that no handshake reads a file.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tls/certificate.h"
#include "tls/file_stamps.h"
#include "tls/openssl.h"
#include "tls/options.h"

namespace tls {

// Loads when first asked. One thread at a time.
class SystemAuthorities {
 public:
  // The error says what to install or set.
  std::expected<X509_STORE*, std::string> store();

 private:
  StorePointer store_;
};

class ClientContext {
 public:
  static std::expected<std::shared_ptr<const ClientContext>, std::string> create(
      ClientOptions options, std::vector<std::string> alpn, SystemAuthorities& system,
      std::int64_t unix_time);

  const ClientOptions& options() const { return options_; }
  // For the log, once: as those of a server's context.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Whether a file of the options is another one now. Asks the file system.
  bool files_changed() const { return files_.changed(); }
  // A connection's SSL in connect state, to be verified against `name` (a host name or IP address
  // without brackets). nullptr when memory or the name fails.
  SslPointer make_ssl(std::string_view name) const;

 private:
  ClientContext() = default;

  ClientOptions options_;
  ContextPointer context_;
  std::shared_ptr<const Certificate> certificate_;
  FileStamps files_;
  std::vector<std::string> warnings_;
};

}  // namespace tls
