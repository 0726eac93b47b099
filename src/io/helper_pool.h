// A bounded set of threads for what would block a worker: cold files, password hashes.
//
// Work is queued up to a maximum; beyond it submit() refuses and the caller answers 503. The result
// comes back as a message to the loop that asked. Threads start with the first job.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "io/loop.h"

namespace io {

class HelperPool {
 public:
  explicit HelperPool(size_t threads_max = 4, size_t queued_max = 1024);
  ~HelperPool();  // waits for the jobs under way, drops the rest

  // Runs `job` on a helper, then `done` on `loop`. False when the queue is full: neither runs.
  bool submit(Loop& loop, std::move_only_function<void()> job,
              std::move_only_function<void()> done);

 private:
  struct Inner;
  std::shared_ptr<Inner> inner_;
};

}  // namespace io
