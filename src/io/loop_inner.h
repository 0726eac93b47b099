// The parts of a loop that only loop.cc and linger.cc touch.
//
// Apart from loop.h so that whoever uses a loop need not see epoll, nor be compiled again when this
// changes. Belongs to the loop's thread.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>

#include "io/linger.h"
#include "io/loop.h"
#include "io/timer_heap.h"

namespace io {

// The mailbox's descriptor only has to be seen: run() reads it without a system call.
struct MailboxEvents final : EventSource {
  bool posted = false;
  void on_events(uint32_t) override { posted = true; }
};

struct Loop::Inner {
  // Events taken from the kernel at once: a turn's work, after which output is flushed.
  static constexpr int kEventsMax = 256;

  int epoll = -1;
  bool nanoseconds = true;  // epoll_pwait2 is there
  TimerHeap timers;
  MailboxEvents mailbox;
  std::map<uint64_t, std::unique_ptr<Linger>> lingering;  // the oldest first
  uint64_t linger_next = 0;
  int event_count = 0;
  int event_next = 0;
  std::array<epoll_event, kEventsMax> events;
};

}  // namespace io
