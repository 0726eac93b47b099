#include "handlers/field_changes.h"

#include "http/exchange_resolver.h"

namespace handlers {

namespace {

using http::FieldName;

void apply(const FieldChanges& changes, http::Fields& fields, http::Exchange& exchange) {
  for (const std::string& name : changes.remove) fields.remove(name);
  for (const FieldValue& field : changes.set) {
    fields.set(field.name, http::evaluate(field.value, base::Escape::kField, exchange));
  }
  for (const FieldValue& field : changes.add) {
    fields.add(field.name, http::evaluate(field.value, base::Escape::kField, exchange));
  }
}

}  // namespace

bool is_framing_field(std::string_view name, bool request) {
  switch (http::field_name(name)) {
    case FieldName::connection:
    case FieldName::content_length:
    case FieldName::http2_settings:
    case FieldName::keep_alive:
    case FieldName::proxy_connection:
    case FieldName::te:
    case FieldName::trailer:
    case FieldName::transfer_encoding:
    case FieldName::upgrade:
      return true;
    case FieldName::expect:
    case FieldName::host:
      return request;
    case FieldName::date:
      return !request;
    default:
      return false;
  }
}

http::FilterOutcome RequestFields::filter(http::Exchange& exchange) {
  apply(changes_, exchange.request().fields, exchange);
  return http::Verdict::next;
}

http::FilterOutcome ResponseFields::filter(http::Exchange& exchange) {
  exchange.add_hook(*this);
  return http::Verdict::next;
}

void ResponseFields::on_response(http::Exchange& exchange) const {
  apply(changes_, exchange.response().fields, exchange);
}

}  // namespace handlers
