// Text primitives: ASCII case, trimming, splitting, strict numbers, and "did you mean".
//
// Everything here is ASCII and locale-free, works on views, and allocates nothing unless it appends
// to a string that the caller gives. It knows no protocol: the grammar of field values (tokens,
// quoted strings, parameters) is http/syntax.h.
// Pure functions, any thread.
// Invariant: a number that doesn't fit or has anything but its digits is refused, never clamped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace base {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_alnum(char c) { return is_digit(c) || is_alpha(c); }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// The value of a hexadecimal digit of either case, or -1.
constexpr int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

inline constexpr char kUpperHex[] = "0123456789ABCDEF";
inline constexpr char kLowerHex[] = "0123456789abcdef";

// Lower-cases eight ASCII bytes at once; other bytes are left as they are.
constexpr std::uint64_t lower_word(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t heptets = word & (0x7f * kOnes);
  const std::uint64_t above_z = heptets + (0x7f - 'Z') * kOnes;
  const std::uint64_t from_a = heptets + (0x80 - 'A') * kOnes;
  const std::uint64_t upper = (from_a ^ above_z) & ~word & (0x80 * kOnes);
  return word | (upper >> 2);
}

// Equality that ignores ASCII case.
inline bool iequals(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const char* x = a.data();
  const char* y = b.data();
  std::size_t n = a.size();
  if (n < 8) {
    for (; n != 0; --n, ++x, ++y) {
      if (to_lower(*x) != to_lower(*y)) return false;
    }
    return true;
  }
  const auto load = [](const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return lower_word(word);
  };
  for (; n > 8; n -= 8, x += 8, y += 8) {
    if (load(x) != load(y)) return false;
  }
  // The last word overlaps what was compared before it.
  return load(x + n - 8) == load(y + n - 8);
}

bool has_upper(std::string_view text);

// Writes text.size() bytes; `out` may be the text itself.
void write_lower(std::string_view text, char* out);

std::string lower(std::string_view text);

// Optional whitespace of HTTP: SP and HTAB (RFC 9110 5.6.3).
constexpr bool is_ows(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view trim_left(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && is_ows(text[i])) ++i;
  return text.substr(i);
}

constexpr std::string_view trim_right(std::string_view text) {
  std::size_t n = text.size();
  while (n > 0 && is_ows(text[n - 1])) --n;
  return text.substr(0, n);
}

constexpr std::string_view trim(std::string_view text) { return trim_right(trim_left(text)); }

// Takes the piece before the next separator off `rest`, trimmed; nothing once all is taken.
//   std::string_view rest = "a, b"; while (auto piece = next_piece(rest, ',')) …
// Empty pieces are given, but none after a separator at the very end.
std::optional<std::string_view> next_piece(std::string_view& rest, char separator);

// Whether a comma-separated list (Connection, Upgrade, …) has this element, ignoring case.
bool list_contains(std::string_view list, std::string_view element);

// One or more decimal digits and nothing else: no sign, space or underscore (S07).
std::optional<std::uint64_t> parse_decimal(std::string_view digits);

// One or more hexadecimal digits and nothing else.
std::optional<std::uint64_t> parse_hex(std::string_view digits);

// Longest output of write_decimal.
inline constexpr std::size_t kDecimalSizeMax = 20;

// Writes the number without leading zeros and returns the end.
char* write_decimal(std::uint64_t number, char* out);

void append_decimal(std::string& out, std::uint64_t number);

// Lower-case, without leading zeros.
void append_hex(std::string& out, std::uint64_t number);

// Restricted Damerau-Levenshtein: insert, remove, replace, swap two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate that was probably meant, or an empty view when none is near enough (at most a
// third of the name's letters differ).
std::string_view closest(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace base
