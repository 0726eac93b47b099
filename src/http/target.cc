#include "http/target.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/address.h"
#include "base/bytes16.h"
#include "base/text.h"

namespace http {
namespace {

// Bytes that a query may have; a path may have these except `"`, `<` and `>` (the header has why).
constexpr bool is_query_char(char c) { return c > ' ' && c < 0x7f && c != '#' && c != '\\'; }

constexpr bool is_path_char(char c) {
  return is_query_char(c) && c != '"' && c != '<' && c != '>' && c != '?';
}

// The bytes of 16 that may not be in a query.
base::Bytes16 not_query16(base::Bytes16 v) {
  // Wrapped around, everything outside of '!' … '~' is at least 94.
  const base::Bytes16 printable = base::below16(v - static_cast<unsigned char>('!'), '~' - '!' + 1);
  return ~printable | base::equal16(v, '#') | base::equal16(v, '\\');
}

base::Bytes16 not_path16(base::Bytes16 v) {
  return not_query16(v) | base::equal16(v, '"') | base::equal16(v, '<') | base::equal16(v, '>') |
         base::equal16(v, '?');
}

// Where the first byte stands that isn't allowed, or the end. 16 bytes at a time, the last of them
// overlapping those before.
template <typename NotAllowed16, typename Allowed>
std::size_t scan(std::string_view text, NotAllowed16 not_allowed16, Allowed allowed) {
  const std::size_t size = text.size();
  if (size >= 16) {
    for (std::size_t i = 0;; i = std::min(i + 16, size - 16)) {
      const std::size_t at = base::first16(not_allowed16(base::load16(text.data() + i)));
      if (at < 16) return i + at;
      if (i + 16 == size) return size;
    }
  }
  if (size >= 8) {
    const std::size_t at = base::first16(not_allowed16(base::load_ends16(text.data(), size)));
    return at < 8 ? at : size - 16 + at;
  }
  std::size_t i = 0;
  while (i < size && allowed(text[i])) ++i;
  return i;
}

// Takes path and query, which are all that is left.
std::optional<TargetError> parse_path_and_query(std::string_view text, Target& target) {
  const std::size_t size = scan(text, not_path16, is_path_char);
  target.path = text.substr(0, size);
  if (size == text.size()) return std::nullopt;
  if (text[size] != '?') return TargetError::kBadCharacter;
  target.has_query = true;
  target.query = text.substr(size + 1);
  if (scan(target.query, not_query16, is_query_char) != target.query.size()) {
    return TargetError::kBadCharacter;
  }
  return std::nullopt;
}

std::expected<Target, TargetError> parse_absolute(std::string_view text) {
  Target target;
  target.form = TargetForm::kAbsolute;
  const std::size_t colon = text.find(':');
  const std::string_view scheme = text.substr(0, colon);
  for (char c : scheme) {  // RFC 3986 3.1
    if (!base::is_alnum(c) && c != '+' && c != '-' && c != '.') {
      return std::unexpected(is_query_char(c) ? TargetError::kNotATarget
                                              : TargetError::kBadCharacter);
    }
  }
  if (colon == std::string_view::npos) return std::unexpected(TargetError::kNotATarget);
  target.https = base::iequals(scheme, "https");
  if (!target.https && !base::iequals(scheme, "http")) {
    return std::unexpected(TargetError::kBadScheme);
  }
  text.remove_prefix(colon + 1);
  if (!text.starts_with("//")) return std::unexpected(TargetError::kNotATarget);
  text.remove_prefix(2);
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  const auto authority = parse_authority(text.substr(0, end));
  if (!authority) return std::unexpected(authority.error());
  target.authority = *authority;
  if (const auto error = parse_path_and_query(text.substr(end), target)) {
    return std::unexpected(*error);
  }
  if (target.path.empty()) target.path = "/";  // RFC 9110 4.2.3
  return target;
}

// Letters, digits, `-._~`; labels are not checked here.
constexpr std::array<bool, 256> make_name_table() {
  std::array<bool, 256> table{};
  for (int i = 0; i < 0x80; ++i) {
    const char c = static_cast<char>(i);
    table[static_cast<std::size_t>(i)] =
        base::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
  }
  return table;
}

constexpr std::array<bool, 256> kNameTable = make_name_table();

std::optional<TargetError> parse_port(std::string_view digits, Authority& authority) {
  if (digits.empty()) return std::nullopt;
  std::uint32_t port = 0;
  if (digits.size() > 5) return TargetError::kBadPort;
  for (char c : digits) {
    if (!base::is_digit(c)) return TargetError::kBadPort;
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (port > 65535) return TargetError::kBadPort;
  authority.port = static_cast<std::uint16_t>(port);
  return std::nullopt;
}

std::optional<TargetError> parse_ipv6_literal(std::string_view text, Authority& authority) {
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos) return TargetError::kBadHost;
  authority.host = text.substr(1, end - 1);
  authority.kind = HostKind::kIpv6;
  // Zones (`%`) mean nothing to others; IPvFuture there is none.
  if (authority.host.find(':') == std::string_view::npos ||
      authority.host.find('%') != std::string_view::npos ||
      !base::Address::parse_ip(authority.host)) {
    return TargetError::kBadHost;
  }
  const std::string_view rest = text.substr(end + 1);
  if (rest.empty()) return std::nullopt;
  if (rest.front() != ':') return TargetError::kBadHost;
  return parse_port(rest.substr(1), authority);
}

std::optional<TargetError> parse_name(std::string_view text, Authority& authority) {
  std::size_t i = 0;
  char before = '.';
  bool letters = false;
  for (; i < text.size() && kNameTable[static_cast<unsigned char>(text[i])]; ++i) {
    if (text[i] == '.' && before == '.') return TargetError::kBadHost;  // an empty label
    letters |= !base::is_digit(text[i]) && text[i] != '.';
    before = text[i];
  }
  if (i == 0 || i > kHostSizeMax) return TargetError::kBadHost;
  authority.host = text.substr(0, before == '.' ? i - 1 : i);
  if (!letters && base::is_ipv4(authority.host)) authority.kind = HostKind::kIpv4;
  if (i == text.size()) return std::nullopt;
  if (text[i] == ':') return parse_port(text.substr(i + 1), authority);
  return TargetError::kBadHost;
}

}  // namespace

std::string_view to_string(TargetError error) {
  switch (error) {
    case TargetError::kEmpty:
      return "the target is empty";
    case TargetError::kBadCharacter:
      return "the target has a byte that no target has";
    case TargetError::kBadScheme:
      return "the target's scheme is neither http nor https";
    case TargetError::kUserinfo:
      return "the host has a user before it";
    case TargetError::kBadHost:
      return "the host is no name and no address";
    case TargetError::kBadPort:
      return "the port is not a number from 0 to 65535";
    case TargetError::kNoPort:
      return "the target has no port";
    case TargetError::kNotATarget:
      return "the target has none of the forms of RFC 9112 3.2";
  }
  return {};
}

std::expected<Target, TargetError> parse_target(std::string_view target) {
  if (target.empty()) return std::unexpected(TargetError::kEmpty);
  if (target.front() == '/') {
    Target result;
    if (const auto error = parse_path_and_query(target, result)) return std::unexpected(*error);
    return result;
  }
  if (target == "*") {
    Target result;
    result.form = TargetForm::kAsterisk;
    return result;
  }
  return parse_absolute(target);
}

std::expected<Target, TargetError> parse_connect_target(std::string_view target) {
  if (target.empty()) return std::unexpected(TargetError::kEmpty);
  const auto authority = parse_authority(target);
  if (!authority) return std::unexpected(authority.error());
  if (!authority->port) return std::unexpected(TargetError::kNoPort);
  Target result;
  result.form = TargetForm::kAuthority;
  result.authority = *authority;
  return result;
}

std::expected<Authority, TargetError> parse_authority(std::string_view text) {
  if (text.empty()) return std::unexpected(TargetError::kBadHost);
  Authority authority;
  authority.text = text;
  const auto error =
      text.front() == '[' ? parse_ipv6_literal(text, authority) : parse_name(text, authority);
  if (!error) return authority;
  if (text.find('@') != std::string_view::npos) return std::unexpected(TargetError::kUserinfo);
  return std::unexpected(*error);
}

std::string_view lower_host(std::string_view host, char* scratch) {
  if (!base::has_upper(host)) return host;
  base::write_lower(host, scratch);
  return {scratch, host.size()};
}

}  // namespace http
