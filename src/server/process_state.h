// What the admin pages may read of the process, from any worker.
//
// Outlives the workers. The lists are complete before the first worker starts.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "server/metrics.h"

namespace server {

struct ProcessState {
  std::vector<const Metrics*> workers;
  std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  std::atomic<bool> draining = false;
  std::atomic<uint64_t> reloads = 0;
  std::atomic<uint64_t> reloads_failed = 0;
  std::atomic<uint64_t> log_lines_dropped = 0;

  // File and end of validity (unix seconds) of each certificate in force.
  struct Certificate {
    std::string file;
    int64_t not_after = 0;
  };
  void set_certificates(std::vector<Certificate> certificates);
  std::vector<Certificate> certificates() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Certificate> certificates_;
};

}  // namespace server
