// How many connections there are, of a listener or of the whole process, against a limit.
//
// Shared by all workers. A connection enters both before it is made and leaves both when it is over
// (Worker::admit, Worker::remove), so that whoever opens connections reaches a limit and not the
// end of memory or descriptors (D04, O02). The limit is an argument, for a reload may change it:
// who is in stays in. Exact: never more than the limit enter, and none is refused below it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/counter.h"

namespace server {

class alignas(base::kCacheLineSize) ConnectionCount {
 public:
  // False: there are `max` or more.
  bool enter(uint32_t max) {
    uint32_t count = count_.load(std::memory_order_relaxed);
    while (count < max) {
      if (count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void leave() { count_.fetch_sub(1, std::memory_order_relaxed); }
  uint32_t value() const { return count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> count_{0};
};

}  // namespace server
