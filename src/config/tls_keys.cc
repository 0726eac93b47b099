#include <array>
#include <chrono>

#include "config/keys.h"

namespace config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Object<tls::CertificateFiles>& certificate_keys() {
  static const Object<tls::CertificateFiles> object = [] {
    Object<tls::CertificateFiles> keys("a certificate", "A certificate and its key.");
    keys.key("certificate", file_path("path of a PEM file", FileReference::Kind::file),
             &tls::CertificateFiles::certificate, "The certificate and its chain, PEM.")
        .required()
        .example("/etc/ssl/example.com.pem");
    keys.key("key", file_path("path of a PEM file", FileReference::Kind::file),
             &tls::CertificateFiles::key,
             "Its private key, PEM. Without this key it is in the certificate's file.");
    keys.check([](Reader& reader, const Node& node, tls::CertificateFiles& out) {
      if (!out.certificate.empty()) reader.certificates.push_back({.node = &node, .files = out});
      return true;
    });
    return keys;
  }();
  return object;
}

const Object<tls::ClientAuth>& client_auth_keys() {
  static const Object<tls::ClientAuth> object = [] {
    using tls::ClientAuthMode;
    Object<tls::ClientAuth> keys("client_auth", "Certificates of clients (mutual TLS).");
    keys.key("mode",
             words<ClientAuthMode>({{"none", ClientAuthMode::kNone},
                                    {"optional", ClientAuthMode::kOptional},
                                    {"require", ClientAuthMode::kRequire}}),
             &tls::ClientAuth::mode,
             "Whether a client is asked for a certificate, and whether it must have one.");
    keys.key("ca", file_path("path of a PEM file", FileReference::Kind::authorities),
             &tls::ClientAuth::ca,
             "The authorities that sign them. Needed unless `mode` is `none`. Sessions of clients "
             "under an intermediate one resume only where that is in the file too.");
    keys.key("crl", file_path("path of a PEM file", FileReference::Kind::file),
             &tls::ClientAuth::crl, "Their lists of revoked certificates.");
    keys.key("depth", integer<std::uint32_t>(0, 10), &tls::ClientAuth::depth,
             "Intermediate certificates at most.");
    keys.check([](Reader& reader, const Node& node, tls::ClientAuth& out) {
      if (out.mode == ClientAuthMode::kNone || !out.ca.empty() || node.find("ca") != nullptr) {
        return true;
      }
      reader.error(node, "client_auth asks for certificates but says no \"ca\" to verify them",
                   "add ca: FILE with the authorities that sign the clients' certificates");
      return false;
    });
    return keys;
  }();
  return object;
}

const Object<tls::SessionTickets>& session_ticket_keys() {
  static const Object<tls::SessionTickets> object = [] {
    Object<tls::SessionTickets> keys("session_tickets", "Resumption of TLS sessions.");
    keys.key("enabled", boolean(), &tls::SessionTickets::enabled, "Whether sessions resume.");
    keys.key("rotate", duration(minutes(1), hours(24)), &tls::SessionTickets::rotate,
             "A new key after this time; the one before it still opens tickets.");
    keys.key("lifetime", duration(minutes(1), hours(24 * 7)), &tls::SessionTickets::lifetime,
             "How long a session can be resumed.");
    return keys;
  }();
  return object;
}

Type<tls::Version> version() {
  return words<tls::Version>({{"1.2", tls::Version::kTls12}, {"1.3", tls::Version::kTls13}});
}

bool check_server_tls(Reader& reader, const Node& node, tls::ServerOptions& out) {
  if (out.min_version <= out.max_version) return true;
  const Node::Entry* entry = node.find("min_version");
  if (entry == nullptr) entry = node.find("max_version");
  reader.error(entry == nullptr ? node : *entry->value, "min_version is above max_version");
  return false;
}

}  // namespace

const Object<tls::ServerOptions>& server_tls_keys() {
  static const Object<tls::ServerOptions> object = [] {
    using tls::ServerOptions;
    Object<ServerOptions> keys("tls", "TLS of a listener, or of a site.");
    keys.key("certificates", list_of(object_type(certificate_keys, "certificate"), 1000),
             &ServerOptions::certificates,
             "Chosen by the name that the client asks for; ECDSA and RSA side by side.")
        .example("[{certificate: cert.pem, key: key.pem}]");
    keys.key("min_version", version(), &ServerOptions::min_version, "Oldest version of TLS.");
    keys.key("max_version", version(), &ServerOptions::max_version, "Newest version of TLS.");
    keys.key("groups", list_of(text("group"), 32), &ServerOptions::groups,
             "Groups for the key exchange, preferred first.");
    keys.key("ciphers", text("cipher list"), &ServerOptions::ciphers,
             "OpenSSL's cipher list for TLS 1.2. Those of TLS 1.3 are all good and need no key.");
    keys.key("client_auth", object_type(client_auth_keys, "keys"), &ServerOptions::client_auth,
             "Certificates of clients (mutual TLS).");
    keys.key("session_tickets", object_type(session_ticket_keys, "keys"),
             &ServerOptions::session_tickets, "Resumption of sessions.");
    keys.key("unknown_name",
             words<tls::UnknownName>({{"default", tls::UnknownName::kDefaultCertificate},
                                      {"reject", tls::UnknownName::kReject}}),
             &ServerOptions::unknown_name,
             "For a name that no site has: the default certificate, or the alert "
             "unrecognized_name.");
    keys.check(check_server_tls);
    return keys;
  }();
  return object;
}

const Object<tls::ClientOptions>& client_tls_keys() {
  static const Object<tls::ClientOptions> object = [] {
    using tls::ClientOptions;
    Object<ClientOptions> keys("tls of an upstream", "TLS towards the endpoints of an upstream.");
    keys.key("server_name", text("name"), &ClientOptions::server_name,
             "Name that is sent and that the certificate must have. Without it: the endpoint's.");
    keys.key("ca", file_path("path of a PEM file", FileReference::Kind::authorities),
             &ClientOptions::ca, "Authorities to trust, instead of the system's.");
    keys.key("certificate", file_path("path of a PEM file", FileReference::Kind::file),
             &ClientOptions::certificate, "Our own certificate, for origins that ask for one.");
    keys.key("key", file_path("path of a PEM file", FileReference::Kind::file), &ClientOptions::key,
             "Its private key.");
    keys.key("verify", boolean(), &ClientOptions::verify,
             "Whether the origin's certificate is verified. `false` lets anybody stand between.");
    keys.check([](Reader& reader, const Node& node, ClientOptions& out) {
      if (!out.certificate.empty()) {
        reader.certificates.push_back({.node = &node, .files = {out.certificate, out.key}});
      }
      if (out.key.empty() || !out.certificate.empty() || node.find("certificate") != nullptr) {
        return true;
      }
      reader.error(node, "there is a \"key\" without its \"certificate\"");
      return false;
    });
    return keys;
  }();
  return object;
}

}  // namespace config
