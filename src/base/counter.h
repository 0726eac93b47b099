// Counters, gauges and duration histograms with one writer and any number of readers.
//
// Each worker owns its own and adds with plain loads and stores (relaxed atomics: no locked
// instruction); the admin thread reads them at any time and sums over the workers. A reader may see
// one counter ahead of another, never a torn value. What several threads write is a SharedCounter,
// on a cache line of its own.
// Invariant: only the owning thread calls the mutators of Counter, Gauge and Histogram.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace base {

// Fixed rather than std::hardware_destructive_interference_size, which varies with compiler flags.
inline constexpr std::size_t kCacheLineSize = 64;

class Counter {
 public:
  void add(std::uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void add(std::int64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void subtract(std::int64_t n = 1) { add(-n); }
  void set(std::int64_t n) { value_.store(n, std::memory_order_relaxed); }
  std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Any number of writers.
class alignas(kCacheLineSize) SharedCounter {
 public:
  void add(std::uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  void subtract(std::uint64_t n = 1) { value_.fetch_sub(n, std::memory_order_relaxed); }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// What one histogram held at one time; snapshots of several workers add up.
struct HistogramSnapshot;

// Durations in buckets whose upper bounds double: 16 µs, 32 µs, … 67 s, and beyond. The index is
// one bit scan, and the bounds are the same everywhere, so that series add up.
class Histogram {
 public:
  static constexpr std::size_t kBuckets = 24;  // the last one has no upper bound
  static constexpr int kFirstBoundBits = 4;    // 2^4 µs

  // The inclusive upper bound of bucket i < kBuckets - 1.
  static constexpr std::chrono::microseconds bound(std::size_t i) {
    return std::chrono::microseconds(std::int64_t{1} << (kFirstBoundBits + i));
  }

  static constexpr std::size_t bucket_of(std::chrono::nanoseconds duration) {
    if (duration <= std::chrono::nanoseconds(1000 << kFirstBoundBits)) return 0;
    // Rounded up, for bounds are inclusive.
    const auto us = (static_cast<std::uint64_t>(duration.count()) + 999) / 1000;
    const std::size_t bits = static_cast<std::size_t>(std::bit_width(us - 1));
    const std::size_t i = bits - kFirstBoundBits;
    return i < kBuckets ? i : kBuckets - 1;
  }

  void record(std::chrono::nanoseconds duration) {
    counts_[bucket_of(duration)].add();
    if (duration.count() > 0) sum_.add(static_cast<std::uint64_t>(duration.count()));
  }

  HistogramSnapshot snapshot() const;

 private:
  std::array<Counter, kBuckets> counts_;
  Counter sum_;  // nanoseconds
};

struct HistogramSnapshot {
  std::array<std::uint64_t, Histogram::kBuckets> counts{};
  std::uint64_t sum_nanoseconds = 0;

  std::uint64_t total() const {
    std::uint64_t n = 0;
    for (std::uint64_t count : counts) n += count;
    return n;
  }
  HistogramSnapshot& operator+=(const HistogramSnapshot& other) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum_nanoseconds += other.sum_nanoseconds;
    return *this;
  }
};

inline HistogramSnapshot Histogram::snapshot() const {
  HistogramSnapshot result;
  for (std::size_t i = 0; i < kBuckets; ++i) result.counts[i] = counts_[i].value();
  result.sum_nanoseconds = sum_.value();
  return result;
}

}  // namespace base
