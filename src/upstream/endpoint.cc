#include "upstream/endpoint.h"

namespace upstream {

namespace {

constexpr std::uint64_t kCountMask = (1u << 24) - 1;

std::uint64_t milliseconds(io::Time time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

}  // namespace

bool FailureMarks::failed(io::Time now, const FailureOptions& options) {
  if (options.count == 0) return false;
  const std::uint64_t now_ms = milliseconds(now);
  const auto within = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(options.within).count());
  std::uint64_t old = window_.load(std::memory_order_relaxed);
  std::uint64_t next = 0;
  do {
    const std::uint64_t begin = old >> 24;
    const bool over = (old & kCountMask) == 0 || now_ms - begin > within;
    next = over ? now_ms << 24 | 1 : old + ((old & kCountMask) == kCountMask ? 0 : 1);
  } while (!window_.compare_exchange_weak(old, next, std::memory_order_relaxed));

  const bool again = suspect_.load(std::memory_order_relaxed);
  if (!again && (next & kCountMask) < options.count) return false;
  suspect_.store(true, std::memory_order_relaxed);
  ejected_until_.store((now + options.eject).time_since_epoch().count(), std::memory_order_relaxed);
  next_probe_.store((now + kProbeInterval).time_since_epoch().count(), std::memory_order_relaxed);
  return true;
}

bool FailureMarks::claim_probe(io::Time now) {
  std::int64_t next = next_probe_.load(std::memory_order_relaxed);
  if (now.time_since_epoch().count() < next) return false;
  return next_probe_.compare_exchange_strong(
      next, (now + kProbeInterval).time_since_epoch().count(), std::memory_order_relaxed);
}

void FailureMarks::clear() {
  suspect_.store(false, std::memory_order_relaxed);
  window_.store(0, std::memory_order_relaxed);
  ejected_until_.store(0, std::memory_order_relaxed);
}

}  // namespace upstream
