#include "base/base64.h"

#include <array>
#include <cstdint>

namespace base {
namespace {

constexpr char kStandard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kUrlSafe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using Digits = std::array<std::int8_t, 256>;

constexpr Digits make_digits(const char* alphabet) {
  Digits digits{};
  digits.fill(-1);
  for (int i = 0; i < 64; ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
  }
  return digits;
}

constexpr Digits kStandardDigits = make_digits(kStandard);
constexpr Digits kUrlSafeDigits = make_digits(kUrlSafe);

void encode(std::string& out, std::string_view bytes, const char* alphabet, bool pad) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[i]);
  };
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t bits = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    const char four[] = {alphabet[bits >> 18], alphabet[bits >> 12 & 63], alphabet[bits >> 6 & 63],
                         alphabet[bits & 63]};
    out.append(four, sizeof four);
  }
  const std::size_t left = bytes.size() - i;
  if (left == 0) return;
  const std::uint32_t bits = byte(i) << 16 | (left == 2 ? byte(i + 1) << 8 : 0);
  out += alphabet[bits >> 18];
  out += alphabet[bits >> 12 & 63];
  if (left == 2) out += alphabet[bits >> 6 & 63];
  if (pad) out.append(3 - left, '=');
}

// `text` without padding.
std::optional<std::string> decode(std::string_view text, const Digits& digits) {
  const std::size_t left = text.size() % 4;
  if (left == 1) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const int digit = digits[static_cast<unsigned char>(c)];
    if (digit < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xff);
    }
  }
  // What is left of the last digit must be zero, or two texts would mean the same.
  if ((bits & ((1u << count) - 1)) != 0) return std::nullopt;
  return out;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  encode(out, bytes, kStandard, true);
}

std::string base64(std::string_view bytes) {
  std::string out;
  append_base64(out, bytes);
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  return decode(text, kStandardDigits);
}

std::string base64url(std::string_view bytes) {
  std::string out;
  encode(out, bytes, kUrlSafe, false);
  return out;
}

std::optional<std::string> base64url_decode(std::string_view text) {
  return decode(text, kUrlSafeDigits);
}

}  // namespace base
