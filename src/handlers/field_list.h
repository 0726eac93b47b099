// Request fields that may stand on several lines, as one value (RFC 9110 5.3).
//
// For lists only (Accept-Encoding, If-None-Match): lines of anything else must not be joined. The
// usual single line is viewed where it is.
#pragma once

#include <string_view>

#include "http/exchange.h"

namespace handlers {

// The value of the only line, or the lines joined by ", " in the exchange's arena. Empty if there
// is none.
inline std::string_view joined_value(http::Exchange& exchange, http::FieldName name) {
  const http::Fields& fields = exchange.request().fields;
  const http::Field* first = fields.find(name);
  if (first == nullptr) return {};
  std::string_view value = first->value;
  for (const http::Field& field : fields.all()) {
    if (field.id == name && &field != first) {
      value = exchange.arena().join(value, ", ", field.value);
    }
  }
  return value;
}

}  // namespace handlers
