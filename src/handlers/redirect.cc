#include "handlers/redirect.h"

#include <string_view>

#include "http/exchange_resolver.h"

namespace handlers {

Redirect::Redirect(const RedirectOptions& options) : options_(options) {}

http::Outcome Redirect::handle(http::Exchange& exchange) {
  std::string_view to = http::evaluate(options_.to, base::Escape::kUrl, exchange);
  if (to.empty()) {
    exchange.error_detail = "the target of the redirect is empty";
    exchange.respond(500);
    return {};
  }
  if (!options_.to.literal_text().starts_with("//")) {
    // Browsers take a backslash for a slash.
    while (to.size() > 1 && to[0] == '/' && (to[1] == '/' || to[1] == '\\')) to.remove_prefix(1);
  }
  exchange.response().fields.set(http::FieldName::location, to);
  exchange.respond(options_.status);
  return {};
}

}  // namespace handlers
