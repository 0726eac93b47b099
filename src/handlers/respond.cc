#include "handlers/respond.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "http/exchange_resolver.h"
#include "http/media_type.h"
#include "http/status.h"

namespace handlers {

namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

base::Escape escape_of(std::string_view media_type) {
  const std::string_view type = http::essence(media_type);
  const std::string lower = base::lower(type);
  if (lower == "text/html" || lower.ends_with("xml")) return base::Escape::kHtml;
  if (lower.ends_with("json")) return base::Escape::kJson;
  return base::Escape::kNone;
}

}  // namespace

Respond::Respond(const RespondOptions& options) : options_(options) {
  short_page_ = options.body.empty() && options.status >= 400;
  bool literal = options.body.literal();
  for (const FieldValue& field : options.fields) {
    literal = literal && field.value.literal();
    if (!base::iequals(field.name, "Content-Type")) continue;
    has_content_type_ = true;
    body_escape_ = escape_of(field.value.literal_text());
  }
  if (!literal) return;
  prepared_ = true;
  response_.head.status = options.status;
  for (const FieldValue& field : options.fields) {
    response_.head.fields.add(field.name, field.value.literal_text());
  }
  if (!http::status_has_body(options.status)) return;
  std::string page = std::to_string(options.status) + " ";
  (page += http::reason_phrase(options.status)) += '\n';
  response_.body =
      base::Slice::copy_of(short_page_ ? std::string_view(page) : options.body.literal_text());
  if (!has_content_type_ && !response_.body.empty()) {
    response_.head.fields.add(http::FieldName::content_type, kPlainText);
  }
  response_.head.body = http::BodyLength::of(response_.body.size());
}

http::Outcome Respond::handle(http::Exchange& exchange) {
  if (prepared_) {
    exchange.respond(response_);
    return {};
  }
  http::Response& response = exchange.response();
  response.status = options_.status;
  for (const FieldValue& field : options_.fields) {
    response.fields.add(field.name, http::evaluate(field.value, base::Escape::kField, exchange));
  }
  if (short_page_ || !http::status_has_body(options_.status)) {
    exchange.respond(options_.status);
    return {};
  }
  std::string body;
  http::ExchangeResolver resolver(exchange);
  options_.body.evaluate(resolver, body_escape_, body);
  if (!has_content_type_ && !body.empty()) {
    response.fields.add(http::FieldName::content_type, kPlainText);
  }
  exchange.respond(base::Slice::copy_of(body));
  return {};
}

}  // namespace handlers
