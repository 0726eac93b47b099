#include "base/counter.h"

#include <gtest/gtest.h>

#include <thread>

namespace base {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(CounterTest, CountsWhileRead) {
  Counter counter;
  Gauge gauge;
  std::thread writer([&] {
    for (int i = 0; i < 100000; ++i) {
      counter.add();
      gauge.add(2);
      gauge.subtract();
    }
  });
  std::uint64_t last = 0;
  while (last < 1000) {
    const std::uint64_t now = counter.value();
    EXPECT_GE(now, last);
    last = now;
  }
  writer.join();
  EXPECT_EQ(counter.value(), 100000u);
  EXPECT_EQ(gauge.value(), 100000);
}

TEST(CounterTest, SharedCounterHasALineOfItsOwn) {
  static_assert(sizeof(SharedCounter) == kCacheLineSize);
  SharedCounter counter;
  counter.add(3);
  counter.subtract();
  EXPECT_EQ(counter.value(), 2u);
}

TEST(HistogramTest, BoundsAreInclusive) {
  EXPECT_EQ(Histogram::bucket_of(nanoseconds(-5)), 0u);
  EXPECT_EQ(Histogram::bucket_of(nanoseconds(0)), 0u);
  for (std::size_t i = 0; i + 1 < Histogram::kBuckets; ++i) {
    EXPECT_EQ(Histogram::bucket_of(Histogram::bound(i)), i);
    EXPECT_EQ(Histogram::bucket_of(Histogram::bound(i) + nanoseconds(1)), i + 1);
  }
  EXPECT_EQ(Histogram::bound(0), microseconds(16));
  EXPECT_EQ(Histogram::bucket_of(nanoseconds::max()), Histogram::kBuckets - 1);
}

TEST(HistogramTest, SnapshotsAddUp) {
  Histogram a, b;
  a.record(microseconds(10));
  a.record(microseconds(100));
  b.record(std::chrono::seconds(100));
  HistogramSnapshot sum = a.snapshot();
  sum += b.snapshot();
  EXPECT_EQ(sum.total(), 3u);
  EXPECT_EQ(sum.counts[0], 1u);
  EXPECT_EQ(sum.counts[3], 1u);
  EXPECT_EQ(sum.counts[Histogram::kBuckets - 1], 1u);
  EXPECT_EQ(sum.sum_nanoseconds, 110'000u + 100'000'000'000u);
}

}  // namespace
}  // namespace base
