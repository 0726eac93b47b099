#include "base/duration.h"

#include <array>
#include <format>

#include "base/text.h"

namespace base {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t value;
};

// Largest first, which is the order they must be written in.
constexpr std::array<Unit, 5> kDurationUnits = {{
    {"d", 86'400'000},
    {"h", 3'600'000},
    {"m", 60'000},
    {"s", 1'000},
    {"ms", 1},
}};

constexpr std::array<Unit, 13> kSizeUnits = {{
    {"B", 1},
    {"K", 1u << 10},
    {"KiB", 1u << 10},
    {"M", 1u << 20},
    {"MiB", 1u << 20},
    {"G", 1u << 30},
    {"GiB", 1u << 30},
    {"T", 1ull << 40},
    {"TiB", 1ull << 40},
    {"kB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
}};

// A duration above this (about 292 years) overflows nanoseconds.
constexpr std::uint64_t kMillisecondsMax = 9'223'372'036'854;

std::size_t count_digits(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  return n;
}

std::size_t count_letters(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && is_alpha(text[n])) ++n;
  return n;
}

std::unexpected<std::string> bad_duration(std::string_view text) {
  return std::unexpected(
      std::format("'{}' is not a duration; write it like 30s, 1m30s, 500ms, 2h or 7d", text));
}

std::unexpected<std::string> bad_size(std::string_view text) {
  return std::unexpected(
      std::format("'{}' is not a size; write it like 4096, 64KiB, 10MiB or 1GiB", text));
}

}  // namespace

std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text) {
  const std::string_view whole = text;
  if (text == "0") return std::chrono::milliseconds(0);
  std::uint64_t total = 0;
  std::size_t next_unit = 0;
  if (text.empty()) return bad_duration(whole);
  while (!text.empty()) {
    const std::size_t digits = count_digits(text);
    if (digits == 0) return bad_duration(whole);
    const auto number = parse_decimal(text.substr(0, digits));
    text.remove_prefix(digits);
    if (text.empty()) {
      return std::unexpected(
          std::format("the duration '{}' has no unit; write {}s or {}ms", whole, whole, whole));
    }
    if (text.front() == '.') {
      return std::unexpected(
          std::format("the duration '{}' has a fraction; write whole numbers, like 1500ms", whole));
    }
    const std::string_view name = text.substr(0, count_letters(text));
    text.remove_prefix(name.size());
    std::size_t unit = next_unit;
    while (unit < kDurationUnits.size() && kDurationUnits[unit].name != name) ++unit;
    if (unit == kDurationUnits.size()) return bad_duration(whole);
    if (!number || *number > (kMillisecondsMax - total) / kDurationUnits[unit].value) {
      return std::unexpected(std::format("the duration '{}' is too long", whole));
    }
    total += *number * kDurationUnits[unit].value;
    next_unit = unit + 1;
  }
  return std::chrono::milliseconds(total);
}

std::string format_duration(std::chrono::milliseconds duration) {
  if (duration.count() == 0) return "0s";
  std::string out;
  auto left = static_cast<std::uint64_t>(duration.count());
  if (duration.count() < 0) {
    out = "-";
    left = -left;
  }
  for (const Unit& unit : kDurationUnits) {
    if (left < unit.value) continue;
    append_decimal(out, left / unit.value);
    out += unit.name;
    left %= unit.value;
  }
  return out;
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  const std::string_view whole = text;
  const std::size_t digits = count_digits(text);
  if (digits == 0) return bad_size(whole);
  const auto number = parse_decimal(text.substr(0, digits));
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    return std::unexpected(
        std::format("the size '{}' has a fraction; write whole numbers, like 1536KiB", whole));
  }
  std::uint64_t unit = text.empty() ? 1 : 0;
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const Unit& candidate : kSizeUnits) {
    if (iequals(candidate.name, text)) unit = candidate.value;
  }
  if (unit == 0) return bad_size(whole);
  // Half the range, so that sums of sizes don't overflow.
  constexpr std::uint64_t kSizeMax = ~std::uint64_t{0} >> 1;
  if (!number || *number > kSizeMax / unit) {
    return std::unexpected(std::format("the size '{}' is too large", whole));
  }
  return *number * unit;
}

std::string format_size(std::uint64_t bytes) {
  constexpr std::array<Unit, 4> kUnits = {
      {{"TiB", 1ull << 40}, {"GiB", 1u << 30}, {"MiB", 1u << 20}, {"KiB", 1u << 10}}};
  for (const Unit& unit : kUnits) {
    if (bytes != 0 && bytes % unit.value == 0) {
      return std::format("{}{}", bytes / unit.value, unit.name);
    }
  }
  return std::format("{}B", bytes);
}

}  // namespace base
