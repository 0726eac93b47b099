// The variables that templates may name, with their ids: one list for all templates of the product.
//
// Here are names only; what gives them their values for an exchange is the exchange's resolver.
// docs/configuration.md's table of variables is generated from this one.
#pragma once

#include <cstdint>

#include "base/template.h"

namespace http {

enum class Variable : std::uint8_t {
  request_method,
  request_path,
  request_raw_path,
  request_query,
  request_uri,
  request_host,
  request_port,
  request_scheme,
  request_version,
  request_id,
  request_size,
  request_header,
  request_cookie,
  request_query_value,
  client_ip,
  client_port,
  peer_ip,
  peer_port,
  server_ip,
  server_port,
  listener_name,
  tls_version,
  tls_cipher,
  tls_server_name,
  tls_alpn,
  tls_client_subject,
  tls_client_fingerprint,
  tls_client_serial,
  match,
  response_status,
  response_size,
  response_header,
  upstream_address,
  upstream_status,
  upstream_connect_time,
  upstream_first_byte_time,
  upstream_time,
  upstream_attempts,
  user,
  time_iso,
  time_unix,
  time_clf,
  time_elapsed,
};

// Ids are those of Variable, as int.
const base::VariableTable& variables();

}  // namespace http
