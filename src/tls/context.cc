#include "tls/context.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <algorithm>
#include <format>
#include <map>
#include <utility>

#include "base/text.h"
#include "tls/files.h"
#include "tls/server_handshake.h"

namespace tls {

namespace {

// AES-128 before AES-256: as safe for traffic and a fifth faster; a client that puts ChaCha20 first
// (no AES instructions) gets it.
constexpr const char* kTls13Ciphers =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";

// Certificates that a client may send, in bytes (D05).
constexpr long kClientCertificatesMax = 32 * 1024;

ServerContext::Digest digest_of(std::string_view text) {
  ServerContext::Digest digest{};
  EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr);
  return digest;
}

// Text parts joined without ambiguity.
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += std::format("{}:{};", part.size(), part);
  return text;
}

std::string joined_list(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

int protocol(Version version) {
  return version == Version::kTls12 ? TLS1_2_VERSION : TLS1_3_VERSION;
}

}  // namespace

// Collects what a context is made of; any error ends it.
class ContextBuilder {
 public:
  using Policy = ServerContext::Policy;
  using Site = ServerContext::Site;
  template <typename T>
  using Expected = std::expected<T, std::string>;

  ContextBuilder(ContextOptions options, std::shared_ptr<TicketKeys> keys, std::int64_t unix_time,
                 const ServerContext* previous)
      : context_(new ServerContext), unix_time_(unix_time), previous_(previous) {
    context_->options_ = std::move(options);
    context_->ticket_keys_ = std::move(keys);
  }

  Expected<std::shared_ptr<const ServerContext>> build();

 private:
  Expected<void> encode_alpn();
  Expected<void> add_site(const SiteOptions& options);
  Expected<void> choose_default();
  Expected<const Policy*> policy(const ServerOptions& options);
  Expected<ContextPointer> make_context(const ServerOptions& options, X509_STORE* authorities);
  Expected<void> set_client_auth(SSL_CTX* context, const ServerOptions& options,
                                 X509_STORE* authorities);
  Expected<CertificateSet> certificates(const std::vector<CertificateFiles>& files);
  Expected<void> check(const Policy& policy, const CertificateSet& certificates);
  std::shared_ptr<const Certificate> unchanged(const CertificateFiles& files) const;
  const Site* keep(Site site);

  std::shared_ptr<ServerContext> context_;
  std::int64_t unix_time_;
  const ServerContext* previous_;
  CertificateSet listener_certificates_;
  const Site* first_ = nullptr;  // that has certificates
  std::map<std::string, const Policy*, std::less<>> policies_;
};

ContextBuilder::Expected<std::shared_ptr<const ServerContext>> ContextBuilder::build() {
  const ContextOptions& options = context_->options_;
  if (auto done = encode_alpn(); !done) return std::unexpected(done.error());
  auto of_listener = certificates(options.defaults.certificates);
  if (!of_listener) return std::unexpected(of_listener.error());
  listener_certificates_ = std::move(*of_listener);
  for (const SiteOptions& site : options.sites) {
    if (auto done = add_site(site); !done) return std::unexpected(done.error());
  }
  if (auto done = choose_default(); !done) return std::unexpected(done.error());
  // A site for every name leaves none unknown.
  context_->reject_unknown_ =
      options.defaults.unknown_name == UnknownName::kReject && context_->any_name_ == nullptr;
  return std::move(context_);
}

ContextBuilder::Expected<void> ContextBuilder::encode_alpn() {
  for (const std::string& name : context_->options_.alpn) {
    if (name.empty() || name.size() > 255) {
      return std::unexpected(std::format("\"{}\" can't be an ALPN protocol", name));
    }
    context_->alpn_wire_ += static_cast<char>(name.size());
    context_->alpn_wire_ += name;
  }
  return {};
}

ContextBuilder::Expected<void> ContextBuilder::add_site(const SiteOptions& options) {
  auto own = certificates(options.tls.certificates);
  if (!own) return std::unexpected(own.error());
  if (own->empty()) own = listener_certificates_;
  auto chosen = policy(options.tls);
  if (!chosen) return std::unexpected(chosen.error());
  if (auto done = check(**chosen, *own); !done) return done;
  const std::string name = options.hosts.empty() ? std::string() : options.hosts.front();
  if (own->empty() && !context_->options_.on_demand) {
    // Under no other's certificate by its name; it is what the default site is not (T02).
    if (options.tls.client_auth.mode != ClientAuthMode::kNone) {
      return std::unexpected(
          std::format("site {} asks for client certificates and has none of its own: give it "
                      "`tls: {{certificates: …}}`",
                      name));
    }
    context_->warnings_.push_back(
        std::format("site {} has no certificate: its clients get the default one", name));
    return {};
  }
  Site made{.name = name, .policy = *chosen, .certificates = std::move(*own)};
  std::vector<std::string> hosts = options.hosts;
  std::ranges::sort(hosts);
  made.session_context =
      digest_of(joined({joined_list(hosts, " "),
                        {reinterpret_cast<const char*>((*chosen)->client_identity.data()), 32}}));
  const Site* site = keep(std::move(made));
  for (const std::string& written : options.hosts) {
    const std::string host = base::lower(written);
    if (host == "*") {
      context_->any_name_ = site;
    } else if (host.starts_with("*.")) {
      context_->wildcard_.emplace(host.substr(2), site);
    } else {
      context_->exact_.emplace(host, site);
    }
  }
  return {};
}

const ServerContext::Site* ContextBuilder::keep(Site site) {
  context_->sites_.push_back(std::make_unique<const Site>(std::move(site)));
  const Site* kept = context_->sites_.back().get();
  if (first_ == nullptr && !kept->certificates.empty()) first_ = kept;
  return kept;
}

// The site "*"; else the listener's own certificates; else the first site that has some.
ContextBuilder::Expected<void> ContextBuilder::choose_default() {
  const bool on_demand = context_->options_.on_demand;
  if (context_->any_name_ != nullptr) {
    context_->default_site_ = context_->any_name_;
  } else if (!listener_certificates_.empty() || (first_ == nullptr && on_demand)) {
    auto chosen = policy(context_->options_.defaults);
    if (!chosen) return std::unexpected(chosen.error());
    if (auto done = check(**chosen, listener_certificates_); !done) return done;
    Site made{.name = {}, .policy = *chosen, .certificates = listener_certificates_};
    made.session_context = digest_of(
        joined({"", {reinterpret_cast<const char*>((*chosen)->client_identity.data()), 32}}));
    context_->default_site_ = keep(std::move(made));
  } else {
    context_->default_site_ = first_;
  }
  if (context_->default_site_ != nullptr) return {};
  return std::unexpected(
      "a TLS listener needs a certificate: add `tls: {certificates: [{certificate: cert.pem, key: "
      "key.pem}]}` to it or to a site on it");
}

ContextBuilder::Expected<CertificateSet> ContextBuilder::certificates(
    const std::vector<CertificateFiles>& files) {
  CertificateSet set;
  for (const CertificateFiles& pair : files) {
    auto& known = context_->certificates_[{pair.certificate, pair.key}];
    context_->files_.add(pair.certificate);
    context_->files_.add(pair.key);
    if (known == nullptr) known = unchanged(pair);
    if (known == nullptr) {
      auto loaded = Certificate::load(pair, unix_time_, context_->warnings_);
      if (!loaded) return std::unexpected(loaded.error());
      known = std::move(*loaded);
    }
    for (const auto& other : set) {
      if (other->key_type() != known->key_type()) continue;
      return std::unexpected(
          std::format("{} and {} both have an {} key: a site has one certificate for each key type",
                      other->files().certificate, pair.certificate, known->key_type()));
    }
    set.push_back(known);
  }
  return set;
}

std::shared_ptr<const Certificate> ContextBuilder::unchanged(const CertificateFiles& files) const {
  if (previous_ == nullptr) return nullptr;
  const auto same = [&](const std::string& path) {
    return path.empty() || context_->files_.same(path, previous_->files_);
  };
  if (!same(files.certificate) || !same(files.key)) return nullptr;
  const auto found = previous_->certificates_.find({files.certificate, files.key});
  return found != previous_->certificates_.end() ? found->second : nullptr;
}

// Whether OpenSSL takes them under this policy: a key too small is an error now, not in each
// handshake.
ContextBuilder::Expected<void> ContextBuilder::check(const Policy& policy,
                                                     const CertificateSet& certificates) {
  const SslPointer ssl(SSL_new(policy.context.get()));
  for (const auto& certificate : certificates) {
    if (certificate->apply(ssl.get())) continue;
    return std::unexpected(std::format("the certificate {} can't be used: {}",
                                       certificate->files().certificate, take_openssl_error()));
  }
  return {};
}

ContextBuilder::Expected<const ServerContext::Policy*> ContextBuilder::policy(
    const ServerOptions& options) {
  const ClientAuth& client = options.client_auth;
  std::string authorities;
  if (client.mode != ClientAuthMode::kNone) {
    if (client.ca.empty()) {
      return std::unexpected(
          "client_auth needs `ca`: the file with the CA that signs the clients' certificates");
    }
    context_->files_.add(client.ca);
    context_->files_.add(client.crl);
    auto text = read_pem_file("CA file", client.ca);
    if (!text) return std::unexpected(text.error());
    authorities = std::move(*text);
  }
  const std::string client_text =
      client.mode == ClientAuthMode::kNone
          ? std::string()
          : joined({client.mode == ClientAuthMode::kRequire ? "require" : "optional", authorities,
                    client.crl, std::to_string(client.depth)});
  const std::string shared =
      joined({std::to_string(protocol(options.min_version)),
              std::to_string(protocol(options.max_version)), options.ciphers, client_text});
  const std::string key = joined({shared, joined_list(options.groups, ":"),
                                  options.session_tickets.enabled ? "tickets" : "none",
                                  std::to_string(options.session_tickets.lifetime.count())});
  if (const auto known = policies_.find(key); known != policies_.end()) return known->second;

  auto made = std::make_unique<Policy>();
  made->options = options;
  made->options.certificates.clear();
  made->groups = joined_list(options.groups, ":");
  if (client.mode != ClientAuthMode::kNone) {
    auto store = load_authorities(client.ca, client.crl);
    if (!store) return std::unexpected(store.error());
    made->client_authorities = std::move(*store);
  }
  auto context = make_context(options, made->client_authorities.get());
  if (!context) return std::unexpected(context.error());
  made->context = std::move(*context);
  made->identity = digest_of(shared);
  made->client_identity = digest_of(client_text);
  const Policy* kept = made.get();
  context_->policies_.push_back(std::move(made));
  return policies_[key] = kept;
}

ContextBuilder::Expected<ContextPointer> ContextBuilder::make_context(const ServerOptions& options,
                                                                      X509_STORE* authorities) {
  ContextPointer made(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* context = made.get();
  if (context == nullptr) return std::unexpected(take_openssl_error());
  if (options.min_version > options.max_version) {
    return std::unexpected("min_version is above max_version: there is nothing between them");
  }
  SSL_CTX_set_min_proto_version(context, protocol(options.min_version));
  SSL_CTX_set_max_proto_version(context, protocol(options.max_version));
  // T01. Compressed certificates would have to be inflated before anything is verified.
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                   SSL_OP_NO_RX_CERTIFICATE_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);  // tickets only
  if (!options.session_tickets.enabled) {
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
  }
  if (SSL_CTX_set_ciphersuites(context, kTls13Ciphers) != 1 ||
      SSL_CTX_set_cipher_list(context, options.ciphers.c_str()) != 1) {
    ERR_clear_error();
    return std::unexpected(
        std::format("ciphers: OpenSSL knows nothing in \"{}\" (`openssl ciphers` lists them)",
                    options.ciphers));
  }
  if (SSL_CTX_set1_groups_list(context, joined_list(options.groups, ":").c_str()) != 1) {
    ERR_clear_error();
    return std::unexpected(
        std::format("groups: OpenSSL doesn't know all of \"{}\" (`openssl list -tls-groups`)",
                    joined_list(options.groups, ", ")));
  }
  install_callbacks(context);
  if (auto done = set_client_auth(context, options, authorities); !done) {
    return std::unexpected(done.error());
  }
  return made;
}

ContextBuilder::Expected<void> ContextBuilder::set_client_auth(SSL_CTX* context,
                                                               const ServerOptions& options,
                                                               X509_STORE* authorities) {
  if (authorities == nullptr) return {};
  const bool required = options.client_auth.mode == ClientAuthMode::kRequire;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | (required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     nullptr);
  SSL_CTX_set_verify_depth(context, static_cast<int>(options.client_auth.depth));
  SSL_CTX_set_max_cert_list(context, kClientCertificatesMax);
  SSL_CTX_set1_cert_store(context, authorities);
  STACK_OF(X509)* all = X509_STORE_get1_all_certs(authorities);
  for (int i = 0; i < sk_X509_num(all); ++i) {
    SSL_CTX_add_client_CA(context, sk_X509_value(all, i));
  }
  sk_X509_pop_free(all, X509_free);
  return {};
}

ServerContext::~ServerContext() = default;

std::expected<std::shared_ptr<const ServerContext>, std::string> ServerContext::create(
    ContextOptions options, std::shared_ptr<TicketKeys> ticket_keys, std::int64_t unix_time,
    const ServerContext* previous) {
  return ContextBuilder(std::move(options), std::move(ticket_keys), unix_time, previous).build();
}

std::vector<std::shared_ptr<const Certificate>> ServerContext::certificates() const {
  std::vector<std::shared_ptr<const Certificate>> all;
  for (const auto& [files, certificate] : certificates_) all.push_back(certificate);
  return all;
}

const ServerContext::Site* ServerContext::find(std::string_view host) const {
  // A name has at most 253 letters (RFC 1035 2.3.4); what is longer is nobody's.
  char lowered[256];
  if (host.size() > sizeof lowered) return any_name_;
  base::write_lower(host, lowered);
  std::string_view name(lowered, host.size());
  if (const auto found = exact_.find(name); found != exact_.end()) return found->second;
  if (wildcard_.empty()) return any_name_;
  for (size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (dot == 0) break;  // an empty label
    name.remove_prefix(dot + 1);
    if (const auto found = wildcard_.find(name); found != wildcard_.end()) return found->second;
  }
  return any_name_;
}

bool ServerContext::may_serve(const Site& site, const CertificateSet& certificates,
                              std::string_view host) const {
  const Site* wanted = find(host);
  if (wanted == nullptr) wanted = default_site_;
  if (wanted == &site) return true;
  if (wanted->policy->identity != site.policy->identity) return false;
  return !certificates.empty() &&
         std::ranges::all_of(certificates, [&](const auto& one) { return one->covers(host); });
}

SslPointer ServerContext::make_ssl() const {
  SslPointer ssl(SSL_new(default_site_->policy->context.get()));
  if (ssl != nullptr) SSL_set_accept_state(ssl.get());
  return ssl;
}

}  // namespace tls
