#include "http/range.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

// "0-4 10-19", "whole", or "unsatisfiable".
std::string parsed(std::string_view field, std::uint64_t size) {
  const Ranges ranges = Ranges::parse(field, size, "text/plain");
  if (ranges.outcome() == Ranges::Outcome::kWhole) return "whole";
  if (ranges.outcome() == Ranges::Outcome::kUnsatisfiable) return "unsatisfiable";
  std::string out;
  for (const ByteRange& range : ranges.ranges()) {
    out +=
        (out.empty() ? "" : " ") + std::to_string(range.first) + "-" + std::to_string(range.last);
  }
  return out;
}

TEST(RangeTest, Single) {
  EXPECT_EQ(parsed("bytes=0-499", 10000), "0-499");
  EXPECT_EQ(parsed("bytes=500-999", 10000), "500-999");
  EXPECT_EQ(parsed("bytes=-500", 10000), "9500-9999");
  EXPECT_EQ(parsed("bytes=9500-", 10000), "9500-9999");
  EXPECT_EQ(parsed("bytes=0-", 10000), "0-9999");
  EXPECT_EQ(parsed("bytes=0-99999", 10000), "0-9999");
  EXPECT_EQ(parsed("bytes=-99999", 10000), "0-9999");
  EXPECT_EQ(parsed("Bytes=0-0", 1), "0-0");
  EXPECT_EQ(parsed("bytes= 0-0 ", 1), "0-0");
}

TEST(RangeTest, F06NothingOverflows) {
  EXPECT_EQ(parsed("bytes=0-18446744073709551615", 100), "0-99");
  EXPECT_EQ(parsed("bytes=0-18446744073709551616", 100), "0-99");
  EXPECT_EQ(parsed("bytes=-18446744073709551616", 100), "0-99");
  EXPECT_EQ(parsed("bytes=-18446744073709551615", 100), "0-99");
  EXPECT_EQ(parsed("bytes=18446744073709551615-", 100), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=18446744073709551616-18446744073709551617", 100), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=0-0,-18446744073709551615", ~0ull), "0-18446744073709551614");
}

TEST(RangeTest, Unsatisfiable) {
  EXPECT_EQ(parsed("bytes=100-", 100), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=100-200,300-", 100), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=-0", 100), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=0-", 0), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=-5", 0), "unsatisfiable");
  EXPECT_EQ(parsed("bytes=200-,0-0", 100), "0-0");
}

TEST(RangeTest, F06WhatIsMalformedIsIgnored) {
  for (const char* bad :
       {"", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=1", "bytes=5-2",
        "bytes=0-0,x", "bytes=0-1-2", "bytes= 0 - 1", "bytes=+1-2", "bytes=0x1-2", "bytes=1.0-2",
        "items=0-1", "bytes 0-1", "bytes=--1", "bytes=-+1", " bytes=0-1"}) {
    EXPECT_EQ(parsed(bad, 100), "whole") << bad;
  }
}

TEST(RangeTest, MergesWhatTouchesAndKeepsTheOrder) {
  EXPECT_EQ(parsed("bytes=0-0,99-99", 100), "0-0 99-99");
  EXPECT_EQ(parsed("bytes=99-99,0-0", 100), "99-99 0-0");
  EXPECT_EQ(parsed("bytes=0-4,5-9", 100), "0-9");
  EXPECT_EQ(parsed("bytes=5-9,0-4", 100), "0-9");
  EXPECT_EQ(parsed("bytes=0-4,6-9", 100), "0-4 6-9");
  EXPECT_EQ(parsed("bytes=0-4,6-9,5-5", 100), "0-9");
  EXPECT_EQ(parsed("bytes=50-59,0-4,20-29,3-22", 100), "50-59 0-29");
  EXPECT_EQ(parsed("bytes=10-19,30-39,50-59,15-55", 100), "10-59");
  EXPECT_EQ(parsed("bytes=20-29,90-94,40-49,70-74,30-39", 100), "20-49 90-94 70-74");
  EXPECT_EQ(parsed("bytes=40-49,90-94,20-29,70-74,30-39", 100), "20-49 90-94 70-74");
  EXPECT_EQ(parsed("bytes=0-,0-,0-,0-", 100), "0-99");
  EXPECT_EQ(parsed("bytes=0-0,,2-2", 100), "0-0 2-2");
}

TEST(RangeTest, F06TooManyRangesAreIgnored) {
  std::string sixteen = "bytes=", overlapping = "bytes=";
  for (int i = 0; i < 16; ++i) sixteen += std::to_string(2 * i) + "-" + std::to_string(2 * i) + ",";
  EXPECT_EQ(Ranges::parse(sixteen, 100000, "a/b").ranges().size(), 16u);
  EXPECT_EQ(parsed(sixteen + "50-50", 100000), "whole");
  for (std::size_t i = 0; i < Ranges::kSpecsMax; ++i) overlapping += "0-,";
  EXPECT_EQ(parsed(overlapping, 100000), "0-99999");
  EXPECT_EQ(parsed(overlapping + "0-", 100000), "whole");
}

TEST(RangeTest, F06MultipartIsNeverLongerThanTheWhole) {
  // All but one byte of it, in two parts.
  EXPECT_EQ(parsed("bytes=0-49999,50001-", 100000), "whole");
  EXPECT_EQ(parsed("bytes=0-49000,50001-", 100000), "0-49000 50001-99999");
  // A small one may be.
  EXPECT_EQ(parsed("bytes=0-0,2-2", 10), "0-0 2-2");
}

TEST(RangeTest, MultipartSizeIsExact) {
  const std::string boundary(kBoundarySize, 'b');
  for (std::uint64_t size : {100ull, 123456ull, 10000000000ull}) {
    for (std::string_view type : {"", "text/html; charset=utf-8"}) {
      const Ranges ranges = Ranges::parse("bytes=0-0,9-19,-1", size, type);
      std::string body;
      for (const ByteRange& range : ranges.ranges()) {
        append_part_head(body, boundary, type, range, size);
        body.append(range.size(), 'x');
      }
      append_multipart_tail(body, boundary);
      EXPECT_EQ(ranges.ranges().size(), 3u);
      EXPECT_EQ(multipart_size(ranges.ranges(), size, type), body.size());
    }
  }
}

TEST(RangeTest, WritesFields) {
  std::string out;
  append_content_range(out, {0, 99}, 1000);
  append_unsatisfied_range(out, 1000);
  EXPECT_EQ(out, "bytes 0-99/1000bytes */1000");
  out.clear();
  append_part_head(out, "B", "text/plain", {1, 2}, 3);
  EXPECT_EQ(out, "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 1-2/3\r\n\r\n");
}

}  // namespace
}  // namespace http
