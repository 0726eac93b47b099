// What may be configured of TLS, towards clients (ServerOptions) and towards origins
// (ClientOptions).
//
// Plain values with the documented defaults; that the files exist and fit is checked where
// contexts are built. A listener's ServerOptions are the defaults of the sites on it: config/ hands
// each site its own, complete, for every TLS listener that it is on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace tls {

enum class Version : std::uint8_t { kTls12, kTls13 };

// PEM files; the certificate's with its chain. Without a key's path the key is in the same file.
struct CertificateFiles {
  std::string certificate;
  std::string key;

  bool operator==(const CertificateFiles&) const = default;
};

enum class ClientAuthMode : std::uint8_t { kNone, kOptional, kRequire };

struct ClientAuth {
  ClientAuthMode mode = ClientAuthMode::kNone;
  std::string ca;           // PEM; needed unless mode is kNone
  std::string crl;          // PEM, may be empty
  std::uint32_t depth = 3;  // intermediate certificates at most

  bool operator==(const ClientAuth&) const = default;
};

struct SessionTickets {
  bool enabled = true;
  std::chrono::nanoseconds rotate = std::chrono::hours(12);    // T05: at most 24 h
  std::chrono::nanoseconds lifetime = std::chrono::hours(24);  // T05: at most 7 d

  bool operator==(const SessionTickets&) const = default;
};

// What a client gets that names a server nobody configured, or none (T02).
enum class UnknownName : std::uint8_t { kDefaultCertificate, kReject };

struct ServerOptions {
  std::vector<CertificateFiles> certificates;
  Version min_version = Version::kTls12;
  Version max_version = Version::kTls13;
  std::vector<std::string> groups = {"X25519MLKEM768", "X25519", "P-256"};
  // OpenSSL's list for TLS 1.2. The default: forward secret and authenticated, nothing that RFC
  // 9113 (appendix A) forbids.
  std::string ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20";
  ClientAuth client_auth;
  SessionTickets session_tickets;
  UnknownName unknown_name = UnknownName::kDefaultCertificate;

  bool operator==(const ServerOptions&) const = default;
};

struct ClientOptions {
  std::string server_name;  // sent and verified; empty: the endpoint's host
  std::string ca;           // PEM; empty: the system's
  std::string certificate;  // of ours, where the origin asks for one; empty: none
  std::string key;
  bool verify = true;  // T08

  bool operator==(const ClientOptions&) const = default;
};

}  // namespace tls
