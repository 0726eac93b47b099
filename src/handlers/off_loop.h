// Awaitable that does a piece of work on a helper thread and comes back to the loop.
//
//   auto state = co_await off_loop(helpers, loop, std::make_unique<Work>(…), [](Work& w) { … });
//   if (state == nullptr) → the queue is full: 503
//
// The work sees only its state. The awaiting task may be destroyed meanwhile: the state lives until
// the work is done and is then dropped on the loop's thread, so that it may hold what belongs to
// this worker (counted files and blocks), as long as the work itself copies none of them.
#pragma once

#include <coroutine>
#include <memory>
#include <utility>

#include "io/helper_pool.h"
#include "io/loop.h"

namespace handlers {

template <typename State, typename Work>
class OffLoop {
 public:
  OffLoop(io::HelperPool& helpers, io::Loop& loop, std::unique_ptr<State> state, Work work)
      : helpers_(helpers),
        loop_(loop),
        work_(std::move(work)),
        ticket_(std::make_shared<Ticket>()) {
    ticket_->state = std::move(state);
  }
  OffLoop(const OffLoop&) = delete;
  OffLoop& operator=(const OffLoop&) = delete;
  ~OffLoop() { ticket_->waiter = nullptr; }

  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> waiter) {
    ticket_->waiter = waiter;
    State* state = ticket_->state.get();
    const bool queued = helpers_.submit(
        loop_, [state, work = std::move(work_)]() mutable { work(*state); },
        [ticket = ticket_] {
          if (ticket->waiter) std::exchange(ticket->waiter, nullptr).resume();
        });
    if (queued) return true;
    ticket_->waiter = nullptr;
    ticket_->state.reset();
    return false;
  }
  std::unique_ptr<State> await_resume() { return std::move(ticket_->state); }

 private:
  // Touched by the loop's thread alone, but for `*state` while the work runs.
  struct Ticket {
    std::coroutine_handle<> waiter;
    std::unique_ptr<State> state;
  };

  io::HelperPool& helpers_;
  io::Loop& loop_;
  Work work_;
  std::shared_ptr<Ticket> ticket_;
};

template <typename State, typename Work>
OffLoop<State, Work> off_loop(io::HelperPool& helpers, io::Loop& loop, std::unique_ptr<State> state,
                              Work work) {
  return OffLoop<State, Work>(helpers, loop, std::move(state), std::move(work));
}

}  // namespace handlers
