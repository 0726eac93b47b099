// A timer that belongs to what waits for it.
//
// set() to a later deadline than the one in force is a store: the heap entry moves only when it
// comes up (idle timers are pushed back with every request, and expire hardly ever). Destroying a
// timer cancels it. The callback may set or destroy its own timer. Nanosecond deadlines (QUIC);
// never early, late by at most the turn in progress.
#pragma once

#include "io/loop.h"

namespace io {

class Timer {
 public:
  using Callback = void (*)(void*);
  Timer(Loop& loop, Callback callback, void* argument)
      : loop_(loop), callback_(callback), argument_(argument) {}
  ~Timer() {
    if (queued_ != Time::max()) loop_.remove_timer(*this);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void set(Time deadline) {
    deadline_ = deadline;
    // In the heap at an earlier time: it will be looked at then, and moved on.
    if (deadline < queued_) loop_.set_timer(*this);
  }
  void set_after(Duration timeout) { set(loop_.now() + timeout); }
  void cancel() { deadline_ = Time::max(); }
  bool armed() const { return deadline_ != Time::max(); }
  Time deadline() const { return deadline_; }

 private:
  friend class Loop;
  friend class TimerHeap;
  Loop& loop_;
  Callback callback_;
  void* argument_;
  Time deadline_ = Time::max();  // when it is to expire
  Time queued_ = Time::max();    // its key in the heap, never later than deadline_; max: not in it
  uint32_t index_ = UINT32_MAX;  // its place in the heap
};

}  // namespace io
