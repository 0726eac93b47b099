#include "base/date.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace base {
namespace {

std::string http_date(std::int64_t seconds) {
  std::string out(kHttpDateSize, '?');
  write_http_date(seconds, out.data());
  return out;
}

constexpr std::int64_t kNow = 1'760'000'000;  // October 2025

TEST(DateTest, Writes) {
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(http_date(1709164800), "Thu, 29 Feb 2024 00:00:00 GMT");
  EXPECT_EQ(http_date(INT64_MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(http_date(INT64_MIN), "Sat, 01 Jan 0000 00:00:00 GMT");
  std::string clf(kClfDateSize, '?');
  write_clf_date(971186136, clf.data());
  EXPECT_EQ(clf, "[10/Oct/2000:13:55:36 +0000]");
  std::string rfc3339(kRfc3339Size, '?');
  write_rfc3339(971186136123, rfc3339.data());
  EXPECT_EQ(rfc3339, "2000-10-10T13:55:36.123Z");
  write_rfc3339(-1, rfc3339.data());
  EXPECT_EQ(rfc3339, "1969-12-31T23:59:59.999Z");
}

TEST(DateTest, ReadsAllThreeFormats) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), 784111777);
  EXPECT_EQ(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), 784111777);
  EXPECT_EQ(parse_http_date("Sun Nov  6 08:49:37 1994", kNow), 784111777);
  EXPECT_EQ(parse_http_date("Wed Nov 16 08:49:37 1994", kNow), 784975777);
  EXPECT_EQ(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", kNow), 1483228800);
  // 25 is this century, 76 is more than 50 years ahead.
  EXPECT_EQ(parse_http_date("Monday, 01-Jan-75 00:00:00 GMT", kNow), 3313526400);
  EXPECT_EQ(parse_http_date("Monday, 01-Jan-76 00:00:00 GMT", kNow), 189302400);
}

TEST(DateTest, Refuses) {
  for (const char* bad : {"",
                          "0",
                          "Sun, 06 Nov 1994 08:49:37",
                          "Sun, 06 Nov 1994 08:49:37 UTC",
                          "Sun, 06 Nov 1994 08:49:37 GMT ",
                          " Sun, 06 Nov 1994 08:49:37 GMT",
                          "Sun, 6 Nov 1994 08:49:37 GMT",
                          "Sun, 06 nov 1994 08:49:37 GMT",
                          "Sun, 31 Nov 1994 08:49:37 GMT",
                          "Sun, 00 Nov 1994 08:49:37 GMT",
                          "Sun, 29 Feb 1900 08:49:37 GMT",
                          "Sun, 06 Nov 1994 24:00:00 GMT",
                          "Sun, 06 Nov 1994 08:60:00 GMT",
                          "Sun, 06 Nov 1994 08:49:61 GMT",
                          "Sun, 06 Nov 19a4 08:49:37 GMT",
                          "Sun, 06 Nov -994 08:49:37 GMT",
                          "Xun, 06 Nov 1994 08:49:37 GMT",
                          "Sunday, 06-Nov-1994 08:49:37 GMT",
                          "Sun Nov 6 08:49:37 1994",
                          "1994-11-06T08:49:37Z"}) {
    EXPECT_EQ(parse_http_date(bad, kNow), std::nullopt) << bad;
  }
}

TEST(DateTest, AgreesWithTheLibraryAndReadsItselfBack) {
  for (std::int64_t t = -3'000'000'000; t < 8'000'000'000; t += 86399 * 7) {
    const std::time_t c_time = t;
    std::tm tm{};
    gmtime_r(&c_time, &tm);
    char expected[64];
    std::strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    ASSERT_EQ(http_date(t), expected);
    ASSERT_EQ(parse_http_date(expected, kNow), t);
  }
}

}  // namespace
}  // namespace base
