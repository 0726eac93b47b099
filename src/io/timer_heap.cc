#include "io/timer_heap.h"

#include <algorithm>

namespace io {

namespace {
constexpr size_t kChildren = 4;
}

void TimerHeap::place(size_t index, Entry entry) {
  entries_[index] = entry;
  entry.timer->index_ = static_cast<uint32_t>(index);
}

void TimerHeap::sift_up(size_t index, Entry entry) {
  while (index > 0) {
    const size_t parent = (index - 1) / kChildren;
    if (entries_[parent].key <= entry.key) break;
    place(index, entries_[parent]);
    index = parent;
  }
  place(index, entry);
}

void TimerHeap::sift_down(size_t index, Entry entry) {
  const size_t size = entries_.size();
  for (;;) {
    const size_t begin = index * kChildren + 1;
    if (begin >= size) break;
    const size_t end = std::min(begin + kChildren, size);
    size_t least = begin;
    for (size_t child = begin + 1; child < end; ++child) {
      if (entries_[child].key < entries_[least].key) least = child;
    }
    if (entry.key <= entries_[least].key) break;
    place(index, entries_[least]);
    index = least;
  }
  place(index, entry);
}

void TimerHeap::set(Timer& timer) {
  const bool inside = timer.queued_ != Time::max();
  timer.queued_ = timer.deadline_;
  const Entry entry{timer.deadline_, &timer};
  if (!inside) entries_.push_back(entry);
  sift_up(inside ? timer.index_ : entries_.size() - 1, entry);
}

void TimerHeap::take_out(size_t index) {
  entries_[index].timer->queued_ = Time::max();
  const Entry last = entries_.back();
  entries_.pop_back();
  if (index == entries_.size()) return;
  if (index > 0 && last.key < entries_[(index - 1) / kChildren].key) {
    sift_up(index, last);
  } else {
    sift_down(index, last);
  }
}

void TimerHeap::remove(Timer& timer) { take_out(timer.index_); }

void TimerHeap::run(Time now) {
  size_t left = entries_.size();
  while (left > 0 && !entries_.empty() && entries_[0].key <= now) {
    Timer& timer = *entries_[0].timer;
    if (timer.deadline_ == Time::max()) {  // cancelled
      take_out(0);
    } else if (timer.deadline_ > timer.queued_) {  // pushed back
      timer.queued_ = timer.deadline_;
      sift_down(0, {timer.deadline_, &timer});
    } else {
      --left;
      take_out(0);
      timer.cancel();
      timer.callback_(timer.argument_);  // may destroy it
    }
  }
}

}  // namespace io
