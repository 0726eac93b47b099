// The choice of an endpoint for one try of one request: what policies of balancing have in common.
//
// A choice is there at once or takes its time (an endpoint that must be woken): `Choice` is awaited
// either way, and costs no coroutine when it is there. One chooser per group and worker; called on
// that worker only. The endpoint lives as long as the chooser's next call at least; what keeps it
// longer takes a shared pointer.
#pragma once

#include <coroutine>
#include <cstdint>
#include <span>

#include "base/task.h"
#include "io/loop.h"
#include "upstream/endpoint.h"

namespace upstream {

// What a policy may look at.
struct Selection {
  io::Time now;
  std::span<const Endpoint* const> tried;  // by this request, not to be chosen again
  std::uint64_t hash = 0;                  // of the balancing key, for policies that have one
};

// `Endpoint* endpoint = co_await chooser.choose(…)`; nullptr: there is none to go to.
class [[nodiscard]] Choice {
 public:
  Choice(Endpoint* endpoint) : endpoint_(endpoint) {}             // NOLINT: either
  Choice(base::Task<Endpoint*> task) : task_(std::move(task)) {}  // NOLINT: either

  bool await_ready() const noexcept { return !task_; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    return task_.await_suspend(awaiter);
  }
  Endpoint* await_resume() { return task_ ? task_.await_resume() : endpoint_; }

 private:
  Endpoint* endpoint_ = nullptr;
  base::Task<Endpoint*> task_;
};

class Chooser {
 public:
  virtual ~Chooser() = default;
  virtual Choice choose(const Selection& selection) = 0;
};

}  // namespace upstream
