// Passive marks of an endpoint.

#include "upstream/endpoint.h"

#include <gtest/gtest.h>

namespace upstream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const io::Time kBegin = io::Time(seconds(1'000'000));
const FailureOptions kOptions{.count = 3, .within = seconds(10), .eject = seconds(30)};

TEST(FailureMarks, EjectAfterCountWithinWindow) {
  FailureMarks marks;
  EXPECT_FALSE(marks.failed(kBegin, kOptions));
  EXPECT_FALSE(marks.failed(kBegin + seconds(9), kOptions));
  EXPECT_FALSE(marks.ejected(kBegin + seconds(9)));
  EXPECT_TRUE(marks.failed(kBegin + seconds(10), kOptions));
  EXPECT_TRUE(marks.ejected(kBegin + seconds(39)));
  EXPECT_FALSE(marks.ejected(kBegin + seconds(40)));
}

TEST(FailureMarks, ForgetFailuresBeyondTheWindow) {
  FailureMarks marks;
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(marks.failed(kBegin + seconds(6 * i), kOptions)) << i;
  }
}

TEST(FailureMarks, NeverEjectWithoutACount) {
  FailureMarks marks;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(marks.failed(kBegin, {.count = 0}));
  EXPECT_FALSE(marks.ejected(kBegin));
}

TEST(FailureMarks, TheFirstFailureAfterEjectionEjectsAgainUntilASuccess) {
  FailureMarks marks;
  for (int i = 0; i < 3; ++i) marks.failed(kBegin, kOptions);
  const io::Time later = kBegin + seconds(60);
  EXPECT_FALSE(marks.ejected(later));
  EXPECT_TRUE(marks.failed(later, kOptions));
  EXPECT_TRUE(marks.ejected(later + seconds(1)));
  marks.succeeded();
  EXPECT_FALSE(marks.ejected(later + seconds(1)));
  EXPECT_FALSE(marks.failed(later + seconds(1), kOptions));
}

TEST(FailureMarks, ASecondLetsOneCallerTry) {
  FailureMarks marks;
  for (int i = 0; i < 3; ++i) marks.failed(kBegin, kOptions);
  EXPECT_FALSE(marks.claim_probe(kBegin + milliseconds(999)));
  EXPECT_TRUE(marks.claim_probe(kBegin + seconds(1)));
  EXPECT_FALSE(marks.claim_probe(kBegin + seconds(1)));
  EXPECT_TRUE(marks.claim_probe(kBegin + seconds(2)));
}

}  // namespace
}  // namespace upstream
