// What an exchange may know of the connection that it came on.
//
// Filled by server/ when a connection is accepted and its handshake done; outlives its exchanges.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/address.h"

namespace http {

// Of a TLS or QUIC connection. Text that is not known is empty.
struct TlsInfo {
  std::string_view version;  // "TLSv1.3"
  std::string_view cipher;
  std::string server_name;  // SNI, lower case
  std::string alpn;
  bool resumed = false;
  bool early_data = false;
  bool client_verified = false;
  std::string client_subject;      // RFC 2253
  std::string client_fingerprint;  // SHA-256, lower-case hex
  std::string client_serial;       // hex
};

struct ConnectionInfo {
  base::Address peer;  // the socket's, or what the PROXY protocol said
  base::Address local;
  bool peer_trusted = false;  // among the listener's trusted proxies: what it says of others counts
  std::string_view listener;  // its name in the configuration
  const TlsInfo* tls = nullptr;
  uint64_t id = 0;
  uint64_t exchanges = 0;  // begun on this connection

  // The peer's IP as text, made once: forwarding fields say it with every request.
  std::string_view peer_ip() const {
    if (peer_ip_text.empty()) peer.append_ip_to(peer_ip_text);
    return peer_ip_text;
  }
  mutable std::string peer_ip_text;  // peer_ip()'s
};

}  // namespace http
