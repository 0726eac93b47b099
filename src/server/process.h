// The process: sockets, workers, logs, and the configuration in force.
//
// apply() is the one way to change what is served; a file read at start or by SIGHUP is one of its
// callers. It builds everything new first and changes nothing on an error. Listeners, sites, routes
// and groups are known by their names: what is equal in the new options stays as it is.
// Main thread.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/loop.h"
#include "io/signals.h"
#include "io/timer.h"
#include "server/log_queue.h"
#include "server/server.h"
#include "server/sockets.h"
#include "server/worker.h"
#include "server/worker_shared.h"

namespace server {

class Process final : public io::SignalUser {
 public:
  explicit Process(Load load) : load_(std::move(load)) {}
  ~Process();

  // Until the end. The exit status.
  int run(const std::function<void()>& ready);
  std::expected<void, std::string> apply(Options options);
  void on_signal(int signal) override;

 private:
  std::expected<void, std::string> start(Options options);
  std::expected<void, std::string> drop_privileges(const Options& options);
  std::expected<void, std::string> open_sockets(const Options& options);
  // nullptr: off.
  std::expected<std::unique_ptr<LogQueue>, std::string> open_access_log(
      const AccessLogOptions& options);
  void install(std::shared_ptr<const Snapshot> snapshot);
  void wait_for_workers(const std::function<void(Worker&, std::function<void()>)>& ask);
  void update_listening();
  void listen(const std::shared_ptr<const Listener>& listener, const base::Address& address);
  void keep_sockets(const Options& options);
  void announce();
  void reload();
  void drain();
  void refresh_certificates();
  uint32_t listener_id(const std::string& name);

  Load load_;
  io::Loop loop_;
  std::unique_ptr<io::Signals> signals_;
  Sockets sockets_;
  std::unique_ptr<WorkerShared> shared_;
  std::unique_ptr<LogQueue> access_log_;
  std::vector<LogQueue::Producer*> producers_;  // by worker; nullptr: off
  std::vector<std::unique_ptr<Worker>> workers_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::map<std::string, uint32_t> listener_ids_;
  std::map<uint32_t, std::vector<base::Address>> listening_;  // by Listener::id
  std::unique_ptr<io::Timer> certificates_timer_;
  size_t drained_ = 0;  // workers that have ended
  bool draining_ = false;
};

}  // namespace server
