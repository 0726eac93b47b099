#include "proxy/hop_by_hop.h"

#include <algorithm>

#include "base/text.h"

namespace proxy {

namespace {

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && base::iequals(name.substr(0, prefix.size()), prefix);
}

}  // namespace

bool is_hop_by_hop(http::FieldName id) {
  using enum http::FieldName;
  switch (id) {
    case connection:
    case http2_settings:
    case keep_alive:
    case proxy_authenticate:
    case proxy_authorization:
    case proxy_connection:
    case te:
    case trailer:
    case transfer_encoding:
    case upgrade:
      return true;
    default:
      return false;
  }
}

bool is_forwarding_name(std::string_view name) {
  // Most names are told apart by their first letter.
  if (name.empty()) return false;
  switch (base::to_lower(name.front())) {
    case 'x':
      return begins_with(name, "X-Forwarded-") || begins_with(name, "X-Real-") ||
             begins_with(name, "X-Client-Cert") || begins_with(name, "X-SSL-");
    case 'c':
      return begins_with(name, "Client-Cert");  // RFC 9440
    case 's':
      return begins_with(name, "SSL-Client-");
    default:
      return false;
  }
}

void Nominations::read(const http::Fields& fields) {
  for (const http::Field& field : fields.all()) {
    if (field.id != http::FieldName::connection) continue;
    std::string_view rest = field.value;
    while (auto name = base::next_piece(rest, ',')) {
      if (name->empty() || base::iequals(*name, "close")) continue;
      if (http::field_name(*name) != http::FieldName::other || is_forwarding_name(*name)) continue;
      if (count_ == kMax) {
        too_many_ = true;
        return;
      }
      names_[count_++] = *name;
    }
  }
}

bool Nominations::search(const http::Field& field) const {
  return field.id == http::FieldName::other &&
         std::ranges::any_of(names_.begin(), names_.begin() + count_, [&](std::string_view name) {
           return base::iequals(name, field.name);
         });
}

}  // namespace proxy
