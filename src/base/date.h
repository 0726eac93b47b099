// Dates as HTTP and logs write them. Seconds and milliseconds since the epoch, always UTC.
//
// Formatting writes a fixed number of bytes and reads no clock and no time zone. A worker formats
// the Date field once a second, not here.
// Pure functions, any thread. RFC 9110 5.6.7, RFC 3339 5.6, the Common Log Format.
// Invariant: years 0 to 9999; what is beyond is clamped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace base {

// Sun, 06 Nov 1994 08:49:37 GMT
inline constexpr std::size_t kHttpDateSize = 29;
void write_http_date(std::int64_t seconds, char* out);

// All three formats of RFC 9110 5.6.7: IMF-fixdate, RFC 850, asctime. The day's name is read but
// not held against the date. `now` decides the century of a two-digit year.
std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now);

// [10/Oct/2000:13:55:36 +0000]
inline constexpr std::size_t kClfDateSize = 28;
void write_clf_date(std::int64_t seconds, char* out);

// 2000-10-10T13:55:36.123Z
inline constexpr std::size_t kRfc3339Size = 24;
void write_rfc3339(std::int64_t milliseconds, char* out);

struct CivilTime {
  int year = 1970;
  int month = 1;    // 1 … 12
  int day = 1;      // 1 … 31
  int weekday = 4;  // 0 is Sunday
  int hour = 0, minute = 0, second = 0;
};
CivilTime civil_from_unix(std::int64_t seconds);
// No check of ranges: 1 ≤ month ≤ 12.
std::int64_t unix_from_civil(const CivilTime& time);

}  // namespace base
