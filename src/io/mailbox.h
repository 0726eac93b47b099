// The door of a loop: calls that other threads want to have run on it.
//
// Counted and apart from the loop, so that a thread whose work outlasts the loop finds a closed
// door rather than freed memory. Posting wakes the loop by an eventfd; while a wake-up is on its
// way, further posts make no system call. What is posted and never run is destroyed with the
// mailbox, by whoever lets go of it last. No limit of its own: whoever posts bounds what is under
// way.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace io {

class Mailbox {
 public:
  using Call = std::move_only_function<void()>;

  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // From any thread. False when closed: `call` is destroyed.
  bool post(Call call);

  // For the loop: readable (edge-triggered, never read) when something was posted.
  int descriptor() const { return descriptor_; }
  // Runs what was posted until now; what is posted meanwhile comes with the next turn.
  void run();
  void close();

 private:
  int descriptor_;
  std::mutex mutex_;
  std::vector<Call> calls_;
  bool woken_ = false;  // a wake-up is on its way
  bool closed_ = false;
  std::vector<Call> running_;  // the loop's alone; keeps its capacity
};

}  // namespace io
