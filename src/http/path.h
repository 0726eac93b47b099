// The canonical path: computed once per request; matcher, access rules, files and log see only it.
//
// It is decoded exactly once, has no repeated slashes and no dot segments. A few escapes stay, so
// that the form is unambiguous and can split neither a line nor a URL: canonical_path() has the
// rules. Bytes beyond ASCII pass and are never read as characters; `;parameters` are kept. The
// origin still receives the raw path unless a rewrite applies.
// Also here: how the prefix of a mount is stripped and joined.
// Pure functions, any thread. RFC 3986 3.3, 5.2.4. (R2, F01, F02, F03, S32)
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace http {

enum class PathError : std::uint8_t {
  kNotAbsolute,    // does not begin with a slash
  kBadEscape,      // a % without two hexadecimal digits
  kNul,            // %00
  kBadCharacter,   // a raw control, `?` or `#`: no path of a parsed target has one
  kAboveRoot,      // more `..` than segments
  kAmbiguousDots,  // a dot segment in the eyes of others
};

// For the diagnostics log.
std::string_view to_string(PathError error);

// From the raw path of the target, in this order:
//   1. Escapes are decoded, except for `%2F %3F %23 %25` and controls (`%0D`), which stay, in upper
//      case: an encoded slash never makes a segment, and what was `%252F` is `%252F`. `%00` is an
//      error.
//   2. Repeated slashes are one slash: `//a///b` is `/a/b`.
//   3. `.` and `..` segments are resolved; above the root is an error.
// `\` and `;` are ordinary bytes, but a segment in which somebody else could see a dot segment
// (`..\x`, `..%2Fx`, `..;x`, `.;`) is refused: an origin that takes `\` or `%2F` for a slash, or
// cuts parameters off, must not climb past a rule that we applied.
//
// The result is `raw` itself where that is canonical already, which is the usual case and copies
// nothing; otherwise it is written to `scratch`, which needs raw.size() bytes and must not overlap.
std::expected<std::string_view, PathError> canonical_path(std::string_view raw, char* scratch);

// The bytes that a canonical path names in a file system: the remaining escapes decoded. Nothing
// where it holds an encoded slash, which no file name can. Same rule for `scratch`.
std::optional<std::string_view> file_path(std::string_view canonical, char* scratch);

// Appends a canonical path in the form of a request target: what a target can't hold is encoded,
// the escapes that it has are kept.
void append_target_path(std::string& out, std::string_view canonical);

// Prefix mounts. A prefix covers whole segments, and a slash at its end is part of it:
//
//   prefix   path      under   stripped
//   /app     /app      yes     /
//   /app     /app/     yes     /
//   /app     /app/x    yes     /x
//   /app     /apple    no
//   /app/    /app      no
//   /app/    /app/x    yes     /x
//   / or ""  /x        yes     /x
bool is_under(std::string_view path, std::string_view prefix);
std::optional<std::string_view> strip_prefix(std::string_view path, std::string_view prefix);

// Appends prefix and rest with one slash between them, whatever they have:
//   /app + /x, /app/ + /x, /app + x: /app/x     /app + /: /app/     /app + "": /app     / + /x: /x
void append_joined(std::string& out, std::string_view prefix, std::string_view rest);

// Appends the raw path without `prefix`, where `canonical` is under it: the raw bytes, so that the
// origin sees the client's own spelling, wherever they still mean the stripped canonical path;
// otherwise (`/%61pp/x`, `/app/../app/x`) that path, encoded.
void append_stripped_target_path(std::string& out, std::string_view raw, std::string_view canonical,
                                 std::string_view prefix);

}  // namespace http
