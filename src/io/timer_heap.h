// The timers of one loop, the next to come up first: a heap of four children per node.
//
// Four rather than two: half the depth, and the children stand in one cache line. The heap holds
// pointers to timers that their owners keep; each knows its place, so that destroying one is
// cheap. Keys are lazy (timer.h): an entry whose timer was pushed back moves when it comes up.
#pragma once

#include <cstddef>
#include <vector>

#include "io/timer.h"

namespace io {

class TimerHeap {
 public:
  // Brings `timer` to its deadline, which is earlier than its key in the heap, or puts it in.
  void set(Timer& timer);
  void remove(Timer& timer);
  // When to look again; Time::max() when there is nothing.
  Time next() const { return entries_.empty() ? Time::max() : entries_[0].key; }
  // Calls what is due, each at most once: a timer that sets itself to now comes again next turn.
  void run(Time now);
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Time key;
    Timer* timer;
  };
  void place(size_t index, Entry entry);
  void sift_up(size_t index, Entry entry);
  void sift_down(size_t index, Entry entry);
  void take_out(size_t index);

  std::vector<Entry> entries_;
};

}  // namespace io
