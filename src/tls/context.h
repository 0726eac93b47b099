// What a TLS listener offers: its sites by name, their certificates and policies.
//
// Built from options before it serves, then immutable and shared by all workers; a reload builds
// another and swaps the pointer, connections keep the one they began with. Many names share few
// SSL_CTX: one for each distinct policy (versions, ciphers, client authentication); certificates
// are given to the single connection, so that ten thousand sites cost ten thousand certificates and
// no more, and so that one may arrive in the middle of a handshake.
// Tickets are bound to the site and its client CAs (T04); which site may answer for which host is
// may_serve() (T03).
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "tls/certificate.h"
#include "tls/file_stamps.h"
#include "tls/openssl.h"
#include "tls/options.h"
#include "tls/ticket_keys.h"

namespace tls {

// A site on the listener. Without certificates of its own it is served with the listener's, or with
// those of the default site.
struct SiteOptions {
  std::vector<std::string> hosts;  // exact, "*.example.com", "*"
  ServerOptions tls;

  bool operator==(const SiteOptions&) const = default;
};

struct ContextOptions {
  ServerOptions defaults;  // the listener's own
  std::vector<SiteOptions> sites;
  std::vector<std::string> alpn = {"http/1.1"};  // most wanted first
  // What to answer a client that speaks cleartext HTTP to this port (T09): opaque bytes.
  std::string cleartext_answer;
  // Sites without any certificate are allowed: a CertificateSource will be asked.
  bool on_demand = false;

  bool operator==(const ContextOptions&) const = default;
};

class ServerContext {
 public:
  using Digest = std::array<unsigned char, 32>;  // SHA-256

  // The options that an SSL_CTX stands for.
  struct Policy {
    ServerOptions options;  // all but the certificates
    std::string groups;     // as OpenSSL reads them
    ContextPointer context;
    StorePointer client_authorities;  // null without client authentication
    Digest identity{};                // what two sites must share for one connection (T03)
    Digest client_identity{};         // what a client certificate was verified against (T04)
  };
  struct Site {
    std::string name;  // its first host
    const Policy* policy = nullptr;
    CertificateSet certificates;  // empty: the source is asked
    Digest session_context{};     // of tickets: the site's names and client_identity
  };

  // `previous`: certificates whose files did not change are taken over from it.
  static std::expected<std::shared_ptr<const ServerContext>, std::string> create(
      ContextOptions options, std::shared_ptr<TicketKeys> ticket_keys, std::int64_t unix_time,
      const ServerContext* previous = nullptr);
  ~ServerContext();
  ServerContext(const ServerContext&) = delete;
  ServerContext& operator=(const ServerContext&) = delete;

  // Whether a file it was built from is another one now, or gone. Asks the file system: not on a
  // worker. Then create() with the same options(); an error keeps this one in force (T07).
  bool files_changed() const { return files_.changed(); }

  const ContextOptions& options() const { return options_; }
  // For the log, once: expired certificates, keys that others may read.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Each certificate once, for metrics.
  std::vector<std::shared_ptr<const Certificate>> certificates() const;
  TicketKeys& ticket_keys() const { return *ticket_keys_; }

  // The site of a host name as an exact name, then by its longest wildcard; any case. nullptr when
  // nobody was configured to have it (a site "*" has every name).
  const Site* find(std::string_view host) const;
  const Site& default_site() const { return *default_site_; }
  // Names that find() does not know, and clients that name none, are refused (T02).
  bool rejects_unknown() const { return reject_unknown_; }
  // Whether a connection that was opened for `site`, with these certificates, may carry a request
  // for `host` (T03, RFC 9110 7.4): the same site, or the same policy and a certificate that covers
  // the host. Otherwise 421.
  bool may_serve(const Site& site, const CertificateSet& certificates, std::string_view host) const;

  // A connection's SSL in accept state, with the default site's policy.
  SslPointer make_ssl() const;
  // In the protocol's form: each with its length before it.
  const std::string& alpn_wire() const { return alpn_wire_; }

 private:
  friend class ContextBuilder;
  ServerContext() = default;

  ContextOptions options_;
  std::shared_ptr<TicketKeys> ticket_keys_;
  std::vector<std::unique_ptr<const Policy>> policies_;
  std::vector<std::unique_ptr<const Site>> sites_;
  base::StringMap<const Site*> exact_;
  base::StringMap<const Site*> wildcard_;  // "example.com" for "*.example.com"
  const Site* default_site_ = nullptr;
  const Site* any_name_ = nullptr;  // of "*"
  bool reject_unknown_ = false;
  std::string alpn_wire_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Certificate>> certificates_;
  FileStamps files_;
  std::vector<std::string> warnings_;
};

}  // namespace tls
