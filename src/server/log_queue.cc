#include "server/log_queue.h"

#include <algorithm>
#include <utility>

#include "server/diagnostics.h"

namespace server {

void LogQueue::Producer::append(std::string_view line) {
  bool was_empty = false;
  {
    std::lock_guard lock(mutex_);
    if (lines_.size() + line.size() + 1 > kQueuedMax) {
      ++queue_->dropped_;
      return;
    }
    was_empty = lines_.empty();
    lines_.append(line);
    lines_.push_back('\n');
  }
  if (was_empty) queue_->wake();
}

LogQueue::LogQueue(io::FileWriter writer, std::atomic<uint64_t>& dropped)
    : writer_(std::move(writer)), dropped_(dropped) {
  thread_ = std::thread([this] { run(); });
}

LogQueue::~LogQueue() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

LogQueue::Producer& LogQueue::add_producer() {
  std::lock_guard lock(mutex_);
  producers_.push_back(std::make_unique<Producer>());
  producers_.back()->queue_ = this;
  return *producers_.back();
}

void LogQueue::reopen() {
  {
    std::lock_guard lock(mutex_);
    reopen_ = true;
  }
  changed_.notify_one();
}

void LogQueue::wake() {
  {
    std::lock_guard lock(mutex_);
    if (std::exchange(pending_, true)) return;
  }
  changed_.notify_one();
}

void LogQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return pending_ || reopen_ || stopping_; });
    bool last = stopping_;
    if (std::exchange(reopen_, false)) {
      lock.unlock();  // no worker waits for the disk
      if (auto reopened = writer_.reopen(); !reopened) {
        log(LogLevel::kError, "the access log can't be opened anew, the old file goes on: " +
                                  reopened.error().text());
      }
      lock.lock();
    }
    // Lines that come close together are written together.
    if (!last) changed_.wait_for(lock, kCollect, [this] { return stopping_; });
    pending_ = false;
    std::vector<Producer*> producers;
    for (auto& producer : producers_) producers.push_back(producer.get());
    lock.unlock();
    for (Producer* producer : producers) {
      std::string lines;
      {
        std::lock_guard guard(producer->mutex_);
        lines.swap(producer->lines_);
      }
      write(lines);
    }
    lock.lock();
    if (last) return;
  }
}

void LogQueue::write(std::string_view lines) {
  if (lines.empty()) return;
  size_t written = writer_.write(lines, kPatience).value_or(0);
  dropped_ += static_cast<uint64_t>(std::ranges::count(lines.substr(written), '\n'));
}

}  // namespace server
