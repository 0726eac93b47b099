#include "http/exchange_resolver.h"

#include <algorithm>
#include <utility>

#include "base/date.h"
#include "base/text.h"
#include "http/cookie.h"
#include "http/query.h"
#include "http/variables.h"

namespace http {

namespace {

// Lines of one name, joined as one list (RFC 9110 5.3).
void append_field(const Fields& fields, std::string_view name, std::string& out) {
  bool first = true;
  FieldName id = field_name(name);
  if (!fields.has(id)) return;
  for (const Field& field : fields.all()) {
    if (field.id != id) continue;
    if (id == FieldName::other && !base::iequals(field.name, name)) continue;
    if (!std::exchange(first, false)) out += id == FieldName::cookie ? "; " : ", ";
    out += field.value;
  }
}

}  // namespace

void append_seconds(std::string& out, std::chrono::nanoseconds duration) {
  int64_t microseconds = std::max<int64_t>(duration.count(), 0) / 1000;
  base::append_decimal(out, static_cast<uint64_t>(microseconds / 1'000'000));
  out.push_back('.');
  char digits[6];
  int64_t rest = microseconds % 1'000'000;
  for (int i = 5; i >= 0; --i, rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
  out.append(digits, sizeof digits);
}

void ExchangeResolver::value(int id, std::string_view argument, std::string& out) {
  if (id == static_cast<int>(Variable::match)) return capture(argument, out);
  if (request_value(id, argument, out) || connection_value(id, out) ||
      response_value(id, argument, out)) {
    return;
  }
  time_value(id, out);
}

bool ExchangeResolver::request_value(int id, std::string_view argument, std::string& out) {
  const Request& request = exchange_.request();
  switch (static_cast<Variable>(id)) {
    case Variable::request_method:
      out += request.method_text;
      return true;
    case Variable::request_path:
      out += request.path;
      return true;
    case Variable::request_raw_path:
      out += request.raw_path;
      return true;
    case Variable::request_query:
      out += request.query;
      return true;
    case Variable::request_uri:
      out += request.raw_path;
      if (request.has_query) (out += '?') += request.query;
      return true;
    case Variable::request_host:
      out += request.host;
      return true;
    case Variable::request_port:
      out += request.port;
      return true;
    case Variable::request_scheme:
      out += request.scheme;
      return true;
    case Variable::request_version:
      out += to_string(request.version);
      return true;
    case Variable::request_id:
      out += exchange_.request_id();
      return true;
    case Variable::request_size:
      base::append_decimal(out, exchange_.body().received());
      return true;
    case Variable::request_header:
      append_field(request.fields, argument, out);
      return true;
    case Variable::request_cookie:
      for (const Field& field : request.fields.all()) {
        if (field.id != FieldName::cookie) continue;
        if (auto found = find_cookie(field.value, argument)) {
          out += *found;
          break;
        }
      }
      return true;
    case Variable::request_query_value: {
      std::string scratch;
      out += query_value(request.query, argument, scratch).value_or(std::string_view());
      return true;
    }
    case Variable::user:
      out += exchange_.user;
      return true;
    default:
      return false;
  }
}

bool ExchangeResolver::connection_value(int id, std::string& out) {
  const ConnectionInfo& connection = exchange_.connection();
  auto tls = [&](std::string_view text) { out += text; };
  switch (static_cast<Variable>(id)) {
    case Variable::client_ip:
      exchange_.client().append_ip_to(out);
      return true;
    case Variable::client_port:
      base::append_decimal(out, exchange_.client().port());
      return true;
    case Variable::peer_ip:
      connection.peer.append_ip_to(out);
      return true;
    case Variable::peer_port:
      base::append_decimal(out, connection.peer.port());
      return true;
    case Variable::server_ip:
      connection.local.append_ip_to(out);
      return true;
    case Variable::server_port:
      base::append_decimal(out, connection.local.port());
      return true;
    case Variable::listener_name:
      out += connection.listener;
      return true;
    default:
      break;
  }
  if (connection.tls == nullptr) return false;
  switch (static_cast<Variable>(id)) {
    case Variable::tls_version:
      tls(connection.tls->version);
      return true;
    case Variable::tls_cipher:
      tls(connection.tls->cipher);
      return true;
    case Variable::tls_server_name:
      tls(connection.tls->server_name);
      return true;
    case Variable::tls_alpn:
      tls(connection.tls->alpn);
      return true;
    case Variable::tls_client_subject:
      tls(connection.tls->client_subject);
      return true;
    case Variable::tls_client_fingerprint:
      tls(connection.tls->client_fingerprint);
      return true;
    case Variable::tls_client_serial:
      tls(connection.tls->client_serial);
      return true;
    default:
      return false;
  }
}

bool ExchangeResolver::response_value(int id, std::string_view argument, std::string& out) {
  const Exchange& exchange = exchange_;
  switch (static_cast<Variable>(id)) {
    case Variable::response_status:
      base::append_decimal(out, static_cast<uint64_t>(exchange.logged_status()));
      return true;
    case Variable::response_size:
      base::append_decimal(out, exchange.body_sent());
      return true;
    case Variable::response_header:
      append_field(exchange.response().fields, argument, out);
      return true;
    case Variable::upstream_address:
      out += exchange.upstream_address;
      return true;
    case Variable::upstream_status:
      if (exchange.upstream_status != 0)
        base::append_decimal(out, static_cast<uint64_t>(exchange.upstream_status));
      return true;
    case Variable::upstream_attempts:
      base::append_decimal(out, static_cast<uint64_t>(exchange.upstream_attempts));
      return true;
    case Variable::upstream_connect_time:
      append_seconds(out, exchange.timing.upstream_connect);
      return true;
    case Variable::upstream_first_byte_time:
      append_seconds(out, exchange.timing.upstream_first_byte);
      return true;
    case Variable::upstream_time:
      append_seconds(out, exchange.timing.upstream_total);
      return true;
    default:
      return false;
  }
}

void ExchangeResolver::time_value(int id, std::string& out) const {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const int64_t time = duration_cast<microseconds>(now).count();
  switch (static_cast<Variable>(id)) {
    case Variable::time_iso: {
      char text[base::kRfc3339Size];
      base::write_rfc3339(time / 1000, text);
      out.append(text, sizeof text - 1);
      const int64_t rest = time % 1000;
      for (int64_t place : {100, 10, 1}) out += static_cast<char>('0' + rest / place % 10);
      out += 'Z';
      break;
    }
    case Variable::time_clf: {
      char text[base::kClfDateSize];
      base::write_clf_date(time / 1'000'000, text);
      out.append(text + 1, sizeof text - 2);  // the brackets are the log format's
      break;
    }
    case Variable::time_unix:
      append_seconds(out, microseconds(time));
      break;
    case Variable::time_elapsed:
      append_seconds(out, std::chrono::steady_clock::now() - exchange_.timing.begin);
      break;
    default:
      break;
  }
}

void ExchangeResolver::capture(std::string_view argument, std::string& out) {
  const auto& captures = exchange_.captures();
  if (auto number = base::parse_decimal(argument)) {
    if (*number < captures.size()) out += captures[*number].value;
    return;
  }
  for (const Exchange::Capture& capture : captures) {
    if (capture.name == argument) out += capture.value;
  }
}

std::string_view evaluate(const base::Template& text, base::Escape escape, Exchange& exchange) {
  if (text.literal()) return text.literal_text();
  std::string value;
  ExchangeResolver resolver(exchange);
  text.evaluate(resolver, escape, value);
  return exchange.arena().copy(value);
}

}  // namespace http
