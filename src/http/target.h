// Request targets and authorities: what stands after the method, in Host, and in :authority.
//
// Parses the four forms of RFC 9112 3.2 into views and validates every byte, as RFC 3986 says but
// for what clients do send: `[ ] { } | ^` and the backtick in path and query, `" < >` in the query,
// and a `%` in the query without digits. Never space, tab, controls, bytes beyond ASCII, `#` or `\`
// (S18). The escapes of a path are checked by http/path.h, which decodes them.
// A host has what names have: letters, digits, `-._~`, no empty label, at most 255 bytes; neither
// userinfo nor escapes nor other sub-delims (S16). The dot at its end is not part of it.
// Pure functions, any thread; the views are into the argument.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

namespace http {

enum class TargetError : std::uint8_t {
  kEmpty,
  kBadCharacter,
  kBadScheme,   // neither http nor https
  kUserinfo,    // user@host (RFC 9110 4.2.4)
  kBadHost,     // not a name, not an address, or empty
  kBadPort,     // not digits, or beyond 65535
  kNoPort,      // CONNECT needs one (RFC 9110 9.3.6)
  kNotATarget,  // none of the forms
};

std::string_view to_string(TargetError error);

enum class HostKind : std::uint8_t { kName, kIpv4, kIpv6 };

struct Authority {
  std::string_view host;  // case as sent; IPv6 without brackets, a name without its final dot
  std::optional<std::uint16_t> port;
  HostKind kind = HostKind::kName;
  std::string_view text;  // the whole, as sent
};

enum class TargetForm : std::uint8_t { kOrigin, kAbsolute, kAuthority, kAsterisk };

struct Target {
  TargetForm form = TargetForm::kOrigin;
  bool https = false;      // absolute form: the scheme
  bool has_query = false;  // `/?` has an empty one
  Authority authority;     // absolute and authority form
  std::string_view path;   // raw; "/" where the absolute form has none; empty for the other two
  std::string_view query;  // raw, without `?`
};

// Every method but CONNECT. `*` is for OPTIONS only, which the caller checks, as it knows the
// method (S20). An absolute form's authority replaces Host (RFC 9112 3.2.2).
std::expected<Target, TargetError> parse_target(std::string_view target);

// CONNECT: authority form, with a port (RFC 9112 3.2.3).
std::expected<Target, TargetError> parse_connect_target(std::string_view target);

// uri-host [ ":" port ]. Empty is an error. An empty port (`host:`) is none (RFC 3986 3.2.3).
std::expected<Authority, TargetError> parse_authority(std::string_view text);

inline constexpr std::size_t kHostSizeMax = 255;

// The host in lower case: itself where it is already, otherwise written to `scratch`, which needs
// host.size() bytes.
std::string_view lower_host(std::string_view host, char* scratch);

}  // namespace http
