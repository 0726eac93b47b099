// Whether a body comes fast enough (D02): not idle for a timeout, nor slower than a rate.
//
// Only time in which somebody waits for bytes counts, so back-pressure is nobody's fault. The rate
// is averaged over spans of the timeout. A value; the owner has the timer and asks at deadline().
#pragma once

#include <algorithm>
#include <cstdint>

#include "io/loop.h"

namespace http1 {

class BodyClock {
 public:
  void reset() { *this = {}; }
  bool running() const { return running_; }
  // Somebody waits.
  void start(io::Time now) {
    if (running_) return;
    running_ = true;
    since_ = last_ = now;
  }
  // Nobody waits any more.
  void stop(io::Time now) {
    if (!running_) return;
    running_ = false;
    waited_ += now - since_;
  }
  void received(uint64_t size, io::Time now) {
    bytes_ += size;
    last_ = now;
  }
  io::Time deadline(io::Duration timeout) const {
    if (!running_) return io::Time::max();
    return std::min(last_ + timeout, since_ + timeout - waited_);
  }
  // At deadline(): true when it is too slow; else a new span begins.
  bool expired(io::Time now, io::Duration timeout, uint64_t rate_min) {
    if (!running_) return false;
    if (now >= last_ + timeout) return true;
    if (waited_ + (now - since_) < timeout) return false;
    auto seconds = static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(timeout).count());
    bool slow = bytes_ < rate_min * seconds;
    bytes_ = 0;
    waited_ = {};
    since_ = now;
    return slow;
  }

 private:
  io::Time since_{};       // waiting
  io::Time last_{};        // byte, or begin of waiting
  io::Duration waited_{};  // of this span, before since_
  uint64_t bytes_ = 0;     // of this span
  bool running_ = false;
};

}  // namespace http1
