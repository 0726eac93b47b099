#include "server/access_log.h"

#include <chrono>

#include "base/date.h"
#include "base/escape.h"
#include "base/text.h"
#include "http/exchange_resolver.h"

namespace server {

namespace {

int64_t unix_milliseconds() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// `"text"`, or `"-"` where there is none.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  base::append_log(out, text.empty() ? std::string_view("-") : text);
  out += '"';
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  ((out += ",\"") += name) += "\":";
  base::append_json_string(out, text);
}

void append_member(std::string& out, std::string_view name, uint64_t number) {
  ((out += ",\"") += name) += "\":";
  base::append_decimal(out, number);
}

}  // namespace

void AccessLog::write(http::Exchange& exchange) {
  line_.clear();
  switch (options_.format) {
    case AccessLogOptions::Format::kOff:
      return;
    case AccessLogOptions::Format::kCombined:
      combined(exchange);
      break;
    case AccessLogOptions::Format::kJson:
      json(exchange);
      break;
    case AccessLogOptions::Format::kTemplate: {
      http::ExchangeResolver resolver(exchange);
      options_.line.evaluate(resolver, base::Escape::kLog, line_);
      break;
    }
  }
  producer_.append(line_);
}

void AccessLog::append_clf_time() {
  if (loop_.unix_time() != time_second_) {
    time_second_ = loop_.unix_time();
    time_.resize(base::kClfDateSize);
    base::write_clf_date(time_second_, time_.data());
  }
  line_ += time_;
}

void AccessLog::append_json_time() {
  char time[base::kRfc3339Size];
  base::write_rfc3339(unix_milliseconds(), time);
  ((line_ += "{\"time\":\"").append(time, sizeof time)) += '"';
}

void AccessLog::combined(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  exchange.client().append_ip_to(line_);
  line_ += " - ";
  base::append_log(line_, exchange.user.empty() ? std::string_view("-") : exchange.user);
  line_ += ' ';
  append_clf_time();
  line_ += " \"";
  base::append_log(line_, request.method_text);
  line_ += ' ';
  base::append_log(line_, request.target);
  (line_ += ' ') += http::to_string(request.version);
  line_ += "\" ";
  base::append_decimal(line_, static_cast<uint64_t>(exchange.logged_status()));
  line_ += ' ';
  base::append_decimal(line_, exchange.body_sent());
  line_ += ' ';
  append_quoted(line_, request.fields.value(http::FieldName::referer));
  line_ += ' ';
  append_quoted(line_, request.fields.value(http::FieldName::user_agent));
}

void AccessLog::json(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  append_json_time();
  append_member(line_, "client", exchange.client().ip_string());
  if (!exchange.user.empty()) append_member(line_, "user", exchange.user);
  append_member(line_, "method", request.method_text);
  append_member(line_, "host", request.host);
  append_member(line_, "target", request.target);
  append_member(line_, "version", http::to_string(request.version));
  append_member(line_, "status", static_cast<uint64_t>(exchange.logged_status()));
  append_member(line_, "request_size", exchange.body().received());
  append_member(line_, "response_size", exchange.body_sent());
  line_ += ",\"duration\":";
  http::append_seconds(line_, loop_.now() - exchange.timing.begin);
  if (exchange.aborted()) line_ += ",\"aborted\":true";
  append_member(line_, "referer", request.fields.value(http::FieldName::referer));
  append_member(line_, "user_agent", request.fields.value(http::FieldName::user_agent));
  if (exchange.connection().tls != nullptr) {
    append_member(line_, "tls", exchange.connection().tls->version);
  }
  if (!exchange.upstream_address.empty()) {
    append_member(line_, "upstream", exchange.upstream_address);
    append_member(line_, "upstream_status", static_cast<uint64_t>(exchange.upstream_status));
    line_ += ",\"upstream_time\":";
    http::append_seconds(line_, exchange.timing.upstream_total);
  }
  if (!exchange.error_detail.empty()) append_member(line_, "error", exchange.error_detail);
  line_ += '}';
}

void AccessLog::write_refused(const http::ConnectionInfo& connection, int status,
                              std::string_view line, std::string_view reason) {
  if (options_.format == AccessLogOptions::Format::kOff) return;
  line_.clear();
  if (options_.format == AccessLogOptions::Format::kJson) {
    append_json_time();
    append_member(line_, "client", connection.peer.ip_string());
    append_member(line_, "line", line);
    append_member(line_, "status", static_cast<uint64_t>(status));
    append_member(line_, "error", reason);
    line_ += '}';
  } else {
    connection.peer.append_ip_to(line_);
    line_ += " - - ";
    append_clf_time();
    line_ += ' ';
    append_quoted(line_, line);
    line_ += ' ';
    base::append_decimal(line_, static_cast<uint64_t>(status));
    line_ += " 0 \"-\" ";
    append_quoted(line_, reason);
  }
  producer_.append(line_);
}

}  // namespace server
