#include "http/variables.h"

#include <array>
#include <string_view>

namespace http {
namespace {

constexpr base::VariableTable::Variable plain(std::string_view name, Variable id,
                                              std::string_view summary) {
  return {.name = name, .id = static_cast<int>(id), .takes_argument = false, .summary = summary};
}

constexpr base::VariableTable::Variable with_argument(std::string_view name, Variable id,
                                                      std::string_view summary) {
  return {.name = name, .id = static_cast<int>(id), .takes_argument = true, .summary = summary};
}

constexpr std::array kVariables = {
    plain("request.method", Variable::request_method, "method, as sent"),
    plain("request.path", Variable::request_path, "canonical path: decoded once, dots resolved"),
    plain("request.raw_path", Variable::request_raw_path, "path, as sent"),
    plain("request.query", Variable::request_query, "query, as sent, without its `?`"),
    plain("request.uri", Variable::request_uri, "path and query, as sent"),
    plain("request.host", Variable::request_host, "host that was asked for, lower case, no port"),
    plain("request.port", Variable::request_port, "port that was asked for, where one was written"),
    plain("request.scheme", Variable::request_scheme, "`http` or `https`"),
    plain("request.version", Variable::request_version, "`HTTP/1.1`"),
    plain("request.id", Variable::request_id, "unique id of the request"),
    plain("request.size", Variable::request_size, "bytes of the body that were received"),
    with_argument("request.header", Variable::request_header, "a field of the request"),
    with_argument("request.cookie", Variable::request_cookie, "a cookie of the request"),
    with_argument("request.query", Variable::request_query_value,
                  "a parameter of the query, decoded"),
    plain("client.ip", Variable::client_ip, "address of the client, as trusted proxies say"),
    plain("client.port", Variable::client_port, "port of the client"),
    plain("peer.ip", Variable::peer_ip, "address of the connection's other end"),
    plain("peer.port", Variable::peer_port, "port of the connection's other end"),
    plain("server.ip", Variable::server_ip, "address of the connection's own end"),
    plain("server.port", Variable::server_port, "port of the connection's own end"),
    plain("listener.name", Variable::listener_name, "name of the listener"),
    plain("tls.version", Variable::tls_version, "`TLSv1.3`; empty in clear, as all of `tls`"),
    plain("tls.cipher", Variable::tls_cipher, "cipher suite"),
    plain("tls.server_name", Variable::tls_server_name, "name that the client asked for (SNI)"),
    plain("tls.alpn", Variable::tls_alpn, "protocol that was agreed on"),
    plain("tls.client.subject", Variable::tls_client_subject, "client certificate's subject"),
    plain("tls.client.fingerprint", Variable::tls_client_fingerprint,
          "client certificate's SHA-256, in hexadecimal"),
    plain("tls.client.serial", Variable::tls_client_serial, "client certificate's serial number"),
    with_argument("match", Variable::match,
                  "a group of the regular expression that matched, by number or name"),
    plain("response.status", Variable::response_status, "status of the response"),
    plain("response.size", Variable::response_size, "bytes of the body that were sent"),
    with_argument("response.header", Variable::response_header, "a field of the response"),
    plain("upstream.address", Variable::upstream_address, "address of the endpoint that answered"),
    plain("upstream.status", Variable::upstream_status, "status that the origin gave"),
    plain("upstream.connect_time", Variable::upstream_connect_time, "seconds until connected"),
    plain("upstream.first_byte_time", Variable::upstream_first_byte_time,
          "seconds until the origin's first byte"),
    plain("upstream.time", Variable::upstream_time, "seconds spent on the origin in all"),
    plain("upstream.attempts", Variable::upstream_attempts, "endpoints that were tried"),
    plain("user", Variable::user, "name of the authenticated user"),
    plain("time.iso", Variable::time_iso, "`2026-01-31T12:00:00.000000Z`"),
    plain("time.unix", Variable::time_unix, "seconds since 1970, with microseconds"),
    plain("time.clf", Variable::time_clf, "`31/Jan/2026:12:00:00 +0000`"),
    plain("time.elapsed", Variable::time_elapsed, "seconds since the request's first byte"),
};

}  // namespace

const base::VariableTable& variables() {
  static const base::VariableTable table{kVariables};
  return table;
}

}  // namespace http
