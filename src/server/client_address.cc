#include "server/client_address.h"

#include <algorithm>
#include <array>

#include "http/forwarded.h"

namespace server {

namespace {

// Lines of one of the two fields that are looked at, from the last: more is not a chain of proxies,
// and those before may be the client's own invention (S30).
constexpr size_t kLinesMax = 8;

bool is_plain_id(std::string_view text) {
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

void find_client(http::Exchange& exchange, const ListenerOptions& listener) {
  const base::Address& peer = exchange.connection().peer;
  if (listener.trusted_proxies.empty() || !listener.trusted_proxies.contains(peer)) return;
  const http::Fields& fields = exchange.request().fields;
  if (auto id = fields.value(http::FieldName::x_request_id); is_plain_id(id)) {
    exchange.set_request_id(id);
  }
  bool standard = listener.trusted_field == ForwardedField::kForwarded;
  auto name = standard ? http::FieldName::forwarded : http::FieldName::x_forwarded_for;
  if (!fields.has(name)) return;
  std::array<std::string_view, kLinesMax> lines;
  const size_t total = fields.count(name);
  size_t skipped = total - std::min(total, lines.size());
  size_t count = 0;
  for (const http::Field& field : fields.all()) {
    if (field.id != name) continue;
    if (skipped > 0) {
      --skipped;
    } else {
      lines[count++] = field.value;
    }
  }
  std::span<const std::string_view> found(lines.data(), count);
  auto client = standard ? http::client_from_forwarded(peer, found, listener.trusted_proxies)
                         : http::client_from_x_forwarded_for(peer, found, listener.trusted_proxies);
  exchange.set_client(client.address);
}

}  // namespace server
