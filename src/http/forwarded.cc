#include "http/forwarded.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "http/syntax.h"

namespace http {
namespace {

// The last elements of a list of which only so many count.
class LastElements {
 public:
  void add(std::string_view element) { ring_[count_++ % ring_.size()] = element; }
  std::size_t size() const { return std::min(count_, ring_.size()); }
  // 0 is the last.
  std::string_view from_right(std::size_t i) const {
    return ring_[(count_ - 1 - i) % ring_.size()];
  }

 private:
  std::array<std::string_view, kForwardedHopsMax> ring_;
  std::size_t count_ = 0;
};

// Both fields: `hop` gives what an element says, or nothing where it ends the walk.
template <typename Hop>
ForwardedClient walk(const base::Address& peer, std::span<const std::string_view> lines,
                     const base::CidrSet& trusted, Hop hop) {
  ForwardedClient client{.address = peer, .proto = {}, .host = {}};
  if (lines.empty() || !trusted.contains(peer)) return client;
  LastElements elements;
  for (std::string_view line : lines) {
    // Commas divide in quotes too: no address or host has one, and an open quote from the client
    // must not swallow what our own proxy put behind it.
    while (const auto element = base::next_piece(line, ',')) {
      if (!element->empty()) elements.add(*element);
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::optional<ForwardedClient> next = hop(elements.from_right(i));
    if (!next) return client;
    client = std::move(*next);
    if (!trusted.contains(client.address)) return client;
  }
  return client;
}

bool is_proto(std::string_view text) {
  return base::iequals(text, "http") || base::iequals(text, "https");
}

void append_value(std::string& out, std::string_view value) {
  if (is_token(value)) {
    out += value;
    return;
  }
  out += '"';
  for (char c : value) {
    if (base::is_control(c)) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

std::optional<base::Address> parse_node(std::string_view node) {
  if (const auto ip = base::Address::parse_ip(node)) return ip;
  std::string_view host = node;
  std::string_view rest;
  if (node.starts_with('[')) {
    const std::size_t end = node.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    host = node.substr(1, end - 1);
    rest = node.substr(end + 1);
    if (host.find(':') == std::string_view::npos) return std::nullopt;
    if (!rest.empty() && rest.front() != ':') return std::nullopt;
  } else {
    const std::size_t colon = node.find(':');
    if (colon == std::string_view::npos || !base::is_ipv4(node.substr(0, colon))) {
      return std::nullopt;
    }
    host = node.substr(0, colon);
    rest = node.substr(colon);
  }
  auto address = base::Address::parse_ip(host);
  if (!address || rest.empty()) return address;
  const std::string_view port = rest.substr(1);
  if (port.starts_with('_') && is_token(port)) return address;  // obfport of RFC 7239 6
  const auto number = port.size() <= 5 ? base::parse_decimal(port) : std::nullopt;
  if (!number || *number > 65535) return std::nullopt;
  address->set_port(static_cast<std::uint16_t>(*number));
  return address;
}

std::optional<ForwardedElement> parse_forwarded_element(std::string_view text) {
  ForwardedElement element;
  // A pair begins where parameters have their semicolon.
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::string_view rest = text.substr(begin);
    const std::size_t equals = rest.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest.substr(0, equals);
    if (!is_token(name)) return std::nullopt;
    std::size_t end = equals + 1;
    std::string_view value;
    if (end < rest.size() && rest[end] == '"') {
      // No value that we understand has quoted pairs; one that has them is taken for none.
      const std::size_t close = rest.find('"', end + 1);
      if (close == std::string_view::npos) return std::nullopt;
      value = rest.substr(end + 1, close - end - 1);
      if (value.find('\\') != std::string_view::npos) return std::nullopt;
      end = close + 1;
    } else {
      while (end < rest.size() && is_token_char(rest[end])) ++end;
      value = rest.substr(equals + 1, end - equals - 1);
    }
    if (value.empty()) return std::nullopt;
    std::string_view* const slot = base::iequals(name, "for")     ? &element.for_node
                                   : base::iequals(name, "by")    ? &element.by_node
                                   : base::iequals(name, "host")  ? &element.host
                                   : base::iequals(name, "proto") ? &element.proto
                                                                  : nullptr;
    if (slot != nullptr) {
      if (!slot->empty()) return std::nullopt;
      *slot = value;
    }
    begin += end;
    while (begin < text.size() && base::is_ows(text[begin])) ++begin;
    if (begin == text.size()) break;
    if (text[begin] != ';') return std::nullopt;
    ++begin;
    while (begin < text.size() && base::is_ows(text[begin])) ++begin;
  }
  return element;
}

ForwardedClient client_from_forwarded(const base::Address& peer,
                                      std::span<const std::string_view> lines,
                                      const base::CidrSet& trusted) {
  return walk(peer, lines, trusted, [](std::string_view text) -> std::optional<ForwardedClient> {
    const auto element = parse_forwarded_element(text);
    if (!element) return std::nullopt;
    const auto address = parse_node(element->for_node);
    if (!address) return std::nullopt;
    return ForwardedClient{.address = *address,
                           .proto = is_proto(element->proto) ? element->proto : std::string_view(),
                           .host = element->host,
                           .from_field = true};
  });
}

ForwardedClient client_from_x_forwarded_for(const base::Address& peer,
                                            std::span<const std::string_view> lines,
                                            const base::CidrSet& trusted) {
  return walk(peer, lines, trusted, [](std::string_view text) -> std::optional<ForwardedClient> {
    const auto address = parse_node(text);
    if (!address) return std::nullopt;
    return ForwardedClient{.address = *address, .proto = {}, .host = {}, .from_field = true};
  });
}

void append_forwarded_element(std::string& out, const base::Address& client, std::string_view host,
                              std::string_view proto) {
  out += "for=";
  switch (client.family()) {
    case base::Address::Family::kIpv4:
      client.append_ip_to(out);
      break;
    case base::Address::Family::kIpv6:
      out += "\"[";
      client.append_ip_to(out);
      out += "]\"";
      break;
    default:
      out += "unknown";
  }
  if (!host.empty()) {
    out += ";host=";
    append_value(out, host);
  }
  if (!proto.empty()) {
    out += ";proto=";
    append_value(out, proto);
  }
}

}  // namespace http
