// Escapers: each appends `text` to `out` so that it is inert where it lands.
//
// Total functions: any bytes in, something valid out; bytes from a peer need no check before. They
// copy runs of plain bytes at once and allocate only what `out` needs to grow.
// Not here: which value lands where (base/template.h and its callers decide) and the canonical path
// (http/path.h), the only other place that percent-decodes a path.
// Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

// The inside of a JSON string (RFC 8259 7), without the quotes. Valid JSON for any bytes: each byte
// that isn't part of well-formed UTF-8 becomes \ufffd; controls of C0 and C1 and DEL become \u00xx
// so that a terminal showing the log obeys nobody (D07).
void append_json(std::string& out, std::string_view text);

// The same with quotes around it.
void append_json_string(std::string& out, std::string_view text);

// & < > " ' as entities: safe in text and in quoted attributes.
void append_html(std::string& out, std::string_view text);

// Everything but unreserved characters (RFC 3986 2.3) as %XX: for one segment, or one name or value
// in a query.
void append_url_component(std::string& out, std::string_view text);

// A path whose slashes are separators: keeps pchar and `/`, and `%` where it begins a well-formed
// escape, so that a path in canonical form is written as it is meant; `?`, `#` and whatever a URL
// can't hold become %XX.
void append_url_path(std::string& out, std::string_view path);

// Like append_url_path but keeps `?`, `[` and `]` too: a path with its query, or a whole URL.
void append_url(std::string& out, std::string_view url);

// Access log and diagnostics: \xHH for controls, DEL, quote, backslash and everything beyond ASCII,
// so that one entry is one line and no byte speaks to a terminal (D07).
void append_log(std::string& out, std::string_view text);

// A field value: CR, LF, NUL and every other control but HTAB are dropped (RFC 9110 5.5, S32).
void append_field_value(std::string& out, std::string_view text);

// Whether append_field_value would drop something.
bool has_field_controls(std::string_view text);

// Percent-decodes exactly once. False when a `%` is not followed by two hexadecimal digits; `out`
// then holds what came before it. `+` stays `+`.
[[nodiscard]] bool append_percent_decoded(std::string& out, std::string_view text);

// Where a value lands, for callers that are told at run time.
enum class Escape : std::uint8_t {
  kNone,
  kField,
  kUrlPath,
  kUrlComponent,
  kUrl,
  kHtml,
  kJson,
  kLog,
};

// No escaper makes more than this of one byte.
inline constexpr std::size_t kEscapedSizeMax = 6;

void append_escaped(std::string& out, std::string_view text, Escape escape);

// False only if append_escaped would append exactly `text`.
bool needs_escaping(std::string_view text, Escape escape);

}  // namespace base
