// Lines of a log on their way from the workers to the thread that writes them.
//
// Each worker appends to a bounded buffer of its own (a lock that nobody holds for long); one
// thread collects and writes them, so that a full disk or a blocked pipe never blocks a worker
// (attack O03): what doesn't fit is dropped and counted. The thread sleeps while there is nothing
// to write.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/file_writer.h"

namespace server {

class LogQueue {
 public:
  // Bytes that wait for one producer; at 200 bytes a line about 5,000 lines.
  static constexpr size_t kQueuedMax = 1024 * 1024;
  // How long lines are collected before they are written together.
  static constexpr std::chrono::milliseconds kCollect{50};
  // How long a pipe that nobody reads may hold up the thread before its lines are given up.
  static constexpr std::chrono::milliseconds kPatience{500};

  class Producer {
   public:
    // Appends one line (without its line feed). Never blocks on I/O.
    void append(std::string_view line);

   private:
    friend class LogQueue;
    LogQueue* queue_ = nullptr;
    std::mutex mutex_;
    std::string lines_;
  };

  // `dropped` counts lines that were lost; it outlives the queue.
  LogQueue(io::FileWriter writer, std::atomic<uint64_t>& dropped);
  ~LogQueue();  // writes what is there

  // Lives as long as the queue; for one thread.
  Producer& add_producer();
  // Has the file opened anew: after it was renamed.
  void reopen();

 private:
  void run();
  void write(std::string_view lines);
  void wake();

  io::FileWriter writer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool pending_ = false;
  bool reopen_ = false;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Producer>> producers_;
  std::atomic<uint64_t>& dropped_;
  std::thread thread_;
};

}  // namespace server
