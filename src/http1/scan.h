// Scanning of heads sixteen bytes at a time: where a target, a value or a name ends.
//
// Each function returns the first byte that can't stand in what it scans, or `end`. Nothing is read
// beyond `end`. Pure functions; the tables are those of RFC 9110 5.5, 5.6.2 and RFC
// 9112 3.2.
#pragma once

#include <cstddef>

#include "base/bytes16.h"
#include "http/syntax.h"

namespace http1 {

namespace detail {

// Runs `stops(Bytes16)` over vectors. What is left at the end is scanned by a vector that overlaps
// what stands before p, as far back as `begin`; only a very short view is scanned byte by byte.
template <typename Stops, typename StopsAt>
inline const char* scan(const char* begin, const char* p, const char* end, Stops stops,
                        StopsAt stops_at) {
  for (; end - p >= 16; p += 16) {
    if (size_t n = base::first16(stops(base::load16(p))); n < 16) return p + n;
  }
  if (p != end && end - begin >= 16) {
    const char* last = end - 16;
    return last + base::first16(stops(base::load16(last)), static_cast<size_t>(p - last));
  }
  if (const auto size = static_cast<size_t>(end - p); size >= 8) {
    const size_t at = base::first16(stops(base::load_ends16(p, size)));
    return at < 8 ? p + at : end - 16 + at;
  }
  while (p != end && !stops_at(static_cast<unsigned char>(*p))) ++p;
  return p;
}

}  // namespace detail

// Field values: HTAB, SP, VCHAR, obs-text (RFC 9110 5.5). `begin` ≤ p: loads may reach back to it.
inline const char* skip_value(const char* begin, const char* p, const char* end) {
  return detail::scan(
      begin, p, end,
      [](base::Bytes16 v) {
        return static_cast<base::Bytes16>((base::below16(v, 0x20) & ~base::equal16(v, '\t')) |
                                          base::equal16(v, 0x7f));
      },
      [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

// Targets: what is visible and ASCII; http/target.h looks closer.
inline const char* skip_target(const char* begin, const char* p, const char* end) {
  return detail::scan(
      begin, p, end,
      [](base::Bytes16 v) {
        return static_cast<base::Bytes16>(base::below16(v, 0x21) | ~base::below16(v, 0x7f));
      },
      [](unsigned char c) { return c < 0x21 || c > 0x7e; });
}

inline const char* skip_token(const char* p, const char* end) {
  while (p != end && http::is_token_char(*p)) ++p;
  return p;
}

}  // namespace http1
