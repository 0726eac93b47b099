#include "proxy/hop_by_hop.h"

#include <algorithm>

#include "base/text.h"
#include "http/forwarding_name.h"

namespace proxy {

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

void Nominations::read(const http::Fields& fields) {
  for (const http::Field& field : fields.all()) {
    if (field.id != http::FieldName::connection) continue;
    std::string_view rest = field.value;
    // What nearly all say.
    if (base::iequals(rest, "keep-alive") || base::iequals(rest, "close")) continue;
    while (auto name = base::next_piece(rest, ',')) {
      if (name->empty() || base::iequals(*name, "close")) continue;
      if (http::field_name(*name) != http::FieldName::other || http::is_forwarding_name(*name)) {
        continue;
      }
      if (count_ == kMax) {
        too_many_ = true;
        return;
      }
      names_[count_++] = {name->data(), name->size()};
    }
  }
}

bool Nominations::search(const http::Field& field) const {
  return field.id == http::FieldName::other &&
         std::ranges::any_of(names_.begin(), names_.begin() + count_, [&](const Name& name) {
           return base::iequals({name.data, name.size}, field.name);
         });
}

}  // namespace proxy
