#include "io/helper_pool.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace io {

struct HelperPool::Inner {
  struct Job {
    std::shared_ptr<Mailbox> mailbox;
    std::move_only_function<void()> job;
    std::move_only_function<void()> done;
  };

  size_t threads_max = 0;
  size_t queued_max = 0;
  std::mutex mutex;
  std::condition_variable work;
  std::deque<Job> jobs;
  std::vector<std::thread> threads;
  size_t idle = 0;
  bool stopping = false;

  void run();
  bool start_thread();
};

bool HelperPool::Inner::start_thread() {
  try {
    threads.emplace_back([this] { run(); });
    return true;
  } catch (const std::system_error&) {  // a limit of the system: those there are must do
    return false;
  }
}

void HelperPool::Inner::run() {
  // Signals are the main thread's.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex);
  for (;;) {
    ++idle;
    work.wait(lock, [this] { return stopping || !jobs.empty(); });
    --idle;
    if (stopping) return;
    Job job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job.job();
    job.job = nullptr;
    job.mailbox->post(std::move(job.done));
    job = {};
    lock.lock();
  }
}

HelperPool::HelperPool(size_t threads_max, size_t queued_max) : inner_(std::make_shared<Inner>()) {
  inner_->threads_max = threads_max;
  inner_->queued_max = queued_max;
}

HelperPool::~HelperPool() {
  std::deque<Inner::Job> dropped;
  {
    std::lock_guard lock(inner_->mutex);
    inner_->stopping = true;
    dropped.swap(inner_->jobs);
  }
  inner_->work.notify_all();
  for (std::thread& thread : inner_->threads) thread.join();
}

bool HelperPool::submit(Loop& loop, std::move_only_function<void()> job,
                        std::move_only_function<void()> done) {
  Inner& inner = *inner_;
  {
    std::lock_guard lock(inner.mutex);
    if (inner.stopping || inner.jobs.size() >= inner.queued_max) return false;
    inner.jobs.push_back({loop.mailbox(), std::move(job), std::move(done)});
    if (inner.idle < inner.jobs.size() && inner.threads.size() < inner.threads_max &&
        !inner.start_thread() && inner.threads.empty()) {
      inner.jobs.pop_back();
      return false;
    }
  }
  inner.work.notify_one();
  return true;
}

}  // namespace io
