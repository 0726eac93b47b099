#include "handlers/field_changes.h"

#include <algorithm>

#include "base/text.h"
#include "http/exchange_resolver.h"

namespace handlers {

namespace {

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

http::FilterOutcome RequestFields::filter(http::Exchange& exchange) {
  apply(changes_, exchange.request().fields, exchange);
  return http::Verdict::next;
}

ResponseFields::ResponseFields(const ResponseFieldsOptions& changes)
    : changes_(changes),
      removes_server_(std::ranges::any_of(
          changes.remove, [](const std::string& name) { return base::iequals(name, "Server"); })) {}

http::FilterOutcome ResponseFields::filter(http::Exchange& exchange) {
  exchange.add_hook(*this);
  return http::Verdict::next;
}

void ResponseFields::on_response(http::Exchange& exchange) const {
  http::Fields& fields = exchange.response().fields;
  apply(changes_, fields, exchange);
  // Empty, it says to the codec that there is to be none.
  if (removes_server_ && !fields.has(http::FieldName::server)) {
    fields.set(http::FieldName::server, "");
  }
}

}  // namespace handlers
