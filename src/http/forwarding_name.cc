#include "http/forwarding_name.h"

#include "base/text.h"

namespace http {

namespace {

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && base::iequals(name.substr(0, prefix.size()), prefix);
}

}  // namespace

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

}  // namespace http
