#include "base/duration.h"

#include <gtest/gtest.h>

namespace base {
namespace {

using std::chrono::milliseconds;

TEST(DurationTest, Reads) {
  EXPECT_EQ(parse_duration("0"), milliseconds(0));
  EXPECT_EQ(parse_duration("0s"), milliseconds(0));
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("30s"), milliseconds(30'000));
  EXPECT_EQ(parse_duration("1m30s"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("2h"), milliseconds(7'200'000));
  EXPECT_EQ(parse_duration("7d"), milliseconds(604'800'000));
  EXPECT_EQ(parse_duration("1m500ms"), milliseconds(60'500));
}

TEST(DurationTest, Refuses) {
  for (const char* bad : {"", "s", "-1s", "1 s", "1x", "1s1m", "1s1s", " 1s", "1s ", "1S", "1.5s",
                          "1s30", "99999999999d", "99999999999999999999999s", "300y", "+1s"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
  EXPECT_EQ(parse_duration("30").error(), "the duration '30' has no unit; write 30s or 30ms");
  EXPECT_EQ(parse_duration("soon").error(),
            "'soon' is not a duration; write it like 30s, 1m30s, 500ms, 2h or 7d");
}

TEST(DurationTest, RoundTrip) {
  for (std::int64_t ms : {0LL, 1LL, 999LL, 1000LL, 90'000LL, 60'500LL, 604'800'000LL, 90'061'001LL,
                          9'223'372'036'854LL}) {
    EXPECT_EQ(parse_duration(format_duration(milliseconds(ms))), milliseconds(ms)) << ms;
  }
  EXPECT_EQ(format_duration(milliseconds(90'000)), "1m30s");
  EXPECT_EQ(format_duration(milliseconds(-1500)), "-1s500ms");
}

TEST(SizeTest, Reads) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("10B"), 10u);
  EXPECT_EQ(parse_size("64KiB"), 65536u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("10MiB"), 10485760u);
  EXPECT_EQ(parse_size("10 MiB"), 10485760u);
  EXPECT_EQ(parse_size("10MB"), 10000000u);
  EXPECT_EQ(parse_size("1GiB"), 1073741824u);
  EXPECT_EQ(parse_size("2TiB"), 2199023255552u);
}

TEST(SizeTest, Refuses) {
  for (const char* bad : {"", "MiB", "-1", "1.5MiB", "1  MiB", "1MiBs", "1 ", "99999999999TiB",
                          "18446744073709551616", "9223372036854775808"}) {
    EXPECT_FALSE(parse_size(bad)) << bad;
  }
}

TEST(SizeTest, RoundTrip) {
  for (std::uint64_t n : {0ull, 1ull, 1500ull, 1024ull, 10485760ull, 1073741825ull, 1ull << 62}) {
    EXPECT_EQ(parse_size(format_size(n)), n);
  }
  EXPECT_EQ(format_size(10485760), "10MiB");
  EXPECT_EQ(format_size(1500), "1500B");
}

}  // namespace
}  // namespace base
