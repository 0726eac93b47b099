#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace base {

bool has_upper(std::string_view text) {
  const char* p = text.data();
  std::size_t n = text.size();
  for (; n >= 8; n -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if (lower_word(word) != word) return true;
  }
  return std::any_of(p, p + n, [](char c) { return c >= 'A' && c <= 'Z'; });
}

void write_lower(std::string_view text, char* out) {
  const char* p = text.data();
  std::size_t n = text.size();
  for (; n >= 8; n -= 8, p += 8, out += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    word = lower_word(word);
    std::memcpy(out, &word, 8);
  }
  for (; n != 0; --n) *out++ = to_lower(*p++);
}

std::string lower(std::string_view text) {
  std::string result(text);
  write_lower(text, result.data());
  return result;
}

std::optional<std::string_view> next_piece(std::string_view& rest, char separator) {
  if (rest.empty()) return std::nullopt;
  const std::size_t end = rest.find(separator);
  const std::string_view piece = trim(rest.substr(0, end));
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return piece;
}

bool list_contains(std::string_view list, std::string_view element) {
  while (const auto piece = next_piece(list, ',')) {
    if (iequals(*piece, element)) return true;
  }
  return false;
}

std::optional<std::uint64_t> parse_decimal(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  std::uint64_t value = 0;
  for (char c : digits) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::optional<std::uint64_t> parse_hex(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (char c : digits) {
    const int digit = hex_value(c);
    if (digit < 0 || value >> 60 != 0) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit);
  }
  return value;
}

char* write_decimal(std::uint64_t number, char* out) {
  return std::to_chars(out, out + kDecimalSizeMax, number).ptr;
}

void append_decimal(std::string& out, std::uint64_t number) {
  char digits[kDecimalSizeMax];
  out.append(digits, write_decimal(number, digits));
}

void append_hex(std::string& out, std::uint64_t number) {
  char digits[16];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number, 16).ptr);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: swaps look two rows back.
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> two_above(width), above(width), row(width);
  for (std::size_t j = 0; j < width; ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < width; ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
    two_above.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string_view closest(std::string_view name, std::span<const std::string_view> candidates) {
  // A name of one or two letters is near everything; a long one from a peer would cost its square.
  constexpr std::size_t kSizeMax = 64;
  if (name.empty() || name.size() > kSizeMax) return {};
  const std::string wanted = lower(name);
  const std::size_t allowed = std::max<std::size_t>(1, name.size() / 3);
  std::string_view best;
  std::size_t best_distance = allowed + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.size() > kSizeMax) continue;
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    // With one letter in common two short words aren't alike.
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace base
