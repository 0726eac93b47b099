#include "base/date.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace base {
namespace {

constexpr char kDays[] = "SunMonTueWedThuFriSat";
constexpr char kMonths[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

constexpr std::int64_t kSecondsMin = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59Z

char* put_two(char* out, int n) {
  *out++ = static_cast<char>('0' + n / 10);
  *out++ = static_cast<char>('0' + n % 10);
  return out;
}

char* put_four(char* out, int n) { return put_two(put_two(out, n / 100), n % 100); }

char* put_clock(char* out, const CivilTime& time) {
  out = put_two(out, time.hour);
  *out++ = ':';
  out = put_two(out, time.minute);
  *out++ = ':';
  return put_two(out, time.second);
}

char* put(char* out, std::string_view text) { return std::copy(text.begin(), text.end(), out); }

// Reads a date's parts off its front; the first mismatch makes it false for good.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void literal(std::string_view text) {
    if (!rest_.starts_with(text)) return fail();
    rest_.remove_prefix(text.size());
  }

  int digits(std::size_t count) {
    if (rest_.size() < count) return fail(), 0;
    const auto value = parse_decimal(rest_.substr(0, count));
    if (!value) return fail(), 0;
    rest_.remove_prefix(count);
    return static_cast<int>(*value);
  }

  // asctime's day: two digits, or a space and one.
  int padded_day() {
    if (!rest_.starts_with(' ')) return digits(2);
    literal(" ");
    return digits(1);
  }

  int month() {
    for (int i = 0; i < 12; ++i) {
      if (rest_.starts_with(std::string_view(kMonths + 3 * i, 3))) {
        rest_.remove_prefix(3);
        return i + 1;
      }
    }
    return fail(), 1;
  }

  void day_name() {
    for (int i = 0; i < 7; ++i) {
      if (rest_.starts_with(std::string_view(kDays + 3 * i, 3))) return rest_.remove_prefix(3);
    }
    fail();
  }

  void long_day_name() {
    for (std::string_view name : kLongDays) {
      if (rest_.starts_with(name)) return rest_.remove_prefix(name.size());
    }
    fail();
  }

  void clock(CivilTime& time) {
    time.hour = digits(2);
    literal(":");
    time.minute = digits(2);
    literal(":");
    time.second = digits(2);
  }

  bool done() const { return ok_ && rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

constexpr int days_in_month(int year, int month) {
  constexpr std::array<int, 12> kDaysIn = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDaysIn[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

bool valid(const CivilTime& time) {
  // A leap second is written as 60 (RFC 9110 5.6.7).
  return time.day >= 1 && time.day <= days_in_month(time.year, time.month) && time.hour < 24 &&
         time.minute < 60 && time.second <= 60;
}

}  // namespace

// Both conversions follow Howard Hinnant's "chrono-compatible low-level date algorithms": the year
// begins in March, so that the leap day is its last.
CivilTime civil_from_unix(std::int64_t seconds) {
  std::int64_t days = seconds / 86400;
  std::int64_t left = seconds % 86400;
  if (left < 0) {
    left += 86400;
    --days;
  }
  CivilTime time;
  const int weekday = static_cast<int>((days + 4) % 7);
  time.weekday = weekday < 0 ? weekday + 7 : weekday;
  time.hour = static_cast<int>(left / 3600);
  time.minute = static_cast<int>(left / 60 % 60);
  time.second = static_cast<int>(left % 60);

  days += 719468;  // since 0000-03-01
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  time.day = static_cast<int>(day_of_year - (153 * march_month + 2) / 5 + 1);
  time.month = static_cast<int>(march_month < 10 ? march_month + 3 : march_month - 9);
  time.year = static_cast<int>(year_of_era + era * 400 + (time.month <= 2 ? 1 : 0));
  return time;
}

std::int64_t unix_from_civil(const CivilTime& time) {
  const std::int64_t year = time.year - (time.month <= 2 ? 1 : 0);
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t march_month = time.month > 2 ? time.month - 3 : time.month + 9;
  const std::int64_t day_of_year = (153 * march_month + 2) / 5 + time.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  const std::int64_t days = era * 146097 + day_of_era - 719468;
  return days * 86400 + time.hour * 3600 + time.minute * 60 + time.second;
}

void write_http_date(std::int64_t seconds, char* out) {
  const CivilTime time = civil_from_unix(std::clamp(seconds, kSecondsMin, kSecondsMax));
  out = put(out, std::string_view(kDays + 3 * time.weekday, 3));
  out = put(out, ", ");
  out = put_two(out, time.day);
  *out++ = ' ';
  out = put(out, std::string_view(kMonths + 3 * (time.month - 1), 3));
  *out++ = ' ';
  out = put_four(out, time.year);
  *out++ = ' ';
  out = put_clock(out, time);
  put(out, " GMT");
}

std::optional<std::int64_t> parse_http_date(std::string_view text, std::int64_t now) {
  CivilTime time;
  Reader reader(text);
  if (text.size() == kHttpDateSize && text[3] == ',') {  // IMF-fixdate
    reader.day_name();
    reader.literal(", ");
    time.day = reader.digits(2);
    reader.literal(" ");
    time.month = reader.month();
    reader.literal(" ");
    time.year = reader.digits(4);
    reader.literal(" ");
    reader.clock(time);
    reader.literal(" GMT");
  } else if (text.find(',') != std::string_view::npos) {  // Sunday, 06-Nov-94 08:49:37 GMT
    reader.long_day_name();
    reader.literal(", ");
    time.day = reader.digits(2);
    reader.literal("-");
    time.month = reader.month();
    reader.literal("-");
    const int two_digits = reader.digits(2);
    reader.literal(" ");
    reader.clock(time);
    reader.literal(" GMT");
    // More than 50 years ahead means the century before (RFC 9110 5.6.7).
    const int year_now = civil_from_unix(now).year;
    time.year = year_now - year_now % 100 + 100 + two_digits;
    while (time.year > year_now + 50) time.year -= 100;
  } else {  // Sun Nov  6 08:49:37 1994
    reader.day_name();
    reader.literal(" ");
    time.month = reader.month();
    reader.literal(" ");
    time.day = reader.padded_day();
    reader.literal(" ");
    reader.clock(time);
    reader.literal(" ");
    time.year = reader.digits(4);
  }
  if (!reader.done() || !valid(time)) return std::nullopt;
  return unix_from_civil(time);
}

void write_clf_date(std::int64_t seconds, char* out) {
  const CivilTime time = civil_from_unix(std::clamp(seconds, kSecondsMin, kSecondsMax));
  *out++ = '[';
  out = put_two(out, time.day);
  *out++ = '/';
  out = put(out, std::string_view(kMonths + 3 * (time.month - 1), 3));
  *out++ = '/';
  out = put_four(out, time.year);
  *out++ = ':';
  out = put_clock(out, time);
  put(out, " +0000]");
}

void write_rfc3339(std::int64_t milliseconds, char* out) {
  milliseconds = std::clamp(milliseconds, kSecondsMin * 1000, kSecondsMax * 1000 + 999);
  std::int64_t seconds = milliseconds / 1000;
  int thousandths = static_cast<int>(milliseconds % 1000);
  if (thousandths < 0) {
    thousandths += 1000;
    --seconds;
  }
  const CivilTime time = civil_from_unix(seconds);
  out = put_four(out, time.year);
  *out++ = '-';
  out = put_two(out, time.month);
  *out++ = '-';
  out = put_two(out, time.day);
  *out++ = 'T';
  out = put_clock(out, time);
  *out++ = '.';
  *out++ = static_cast<char>('0' + thousandths / 100);
  out = put_two(out, thousandths % 100);
  *out = 'Z';
}

}  // namespace base
