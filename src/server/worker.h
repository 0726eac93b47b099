// One worker: a thread with its own loop, listeners, connections, pools and counters.
//
// Shares nothing that changes with other workers: the process reaches it by messages (post), the
// admin pages read its counters. Everything else in here is touched by its thread alone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "http/date_cache.h"
#include "http/exchange_pool.h"
#include "http/handler.h"
#include "io/loop.h"
#include "io/timer.h"
#include "server/access_log.h"
#include "server/connection.h"
#include "server/metrics.h"
#include "server/services.h"
#include "server/tree.h"
#include "server/worker_shared.h"

namespace server {

class Worker {
 public:
  Worker(size_t index, WorkerShared& shared);
  ~Worker();

  // Starts the thread, the first time.
  void start();
  void join();

  // Messages, from the main thread. `done` runs on the worker.
  void install(std::shared_ptr<const Snapshot> snapshot, LogQueue::Producer* access_log,
               std::function<void()> done);
  void listen(std::shared_ptr<const Listener> listener, int descriptor, bool shared);
  void stop_listening(uint32_t listener_id, std::function<void()> done);
  // Closes idle connections now, others after their answer, all at the deadline; then ends.
  void drain(io::Duration timeout, std::function<void()> done);
  void stop();

  // The worker's thread.
  io::Loop& loop() { return loop_; }
  http::ExchangePool& exchanges() { return exchanges_; }
  http::DateCache& dates() { return dates_; }
  const std::shared_ptr<tls::Worker>& tls() const { return services_->tls; }
  io::HelperPool& helpers() { return shared_.helpers; }
  // Whether `listener` may have one more connection; then add() and remove() follow.
  bool admit(const Listener& listener);
  void add(Connection& connection);
  void remove(Connection& connection);
  http::Outcome serve(http::Exchange& exchange, const Connection& connection);
  void finished(http::Exchange& exchange, const Listener& listener);
  void refused(const http::ConnectionInfo& connection, int status, std::string_view line,
               std::string_view reason, const Listener& listener);

  // Any thread.
  Metrics& metrics() { return metrics_; }
  size_t index() const { return index_; }

 private:
  class Listening;
  void run();
  bool set_path(http::Exchange& exchange);
  [[gnu::cold]] http::Outcome refuse(http::Exchange& exchange, int status, std::string_view why);
  void replace_tree(std::unique_ptr<Tree> tree);
  void release(Tree* tree);
  void end_if_drained();
  void refuse_connection(const Listener& listener, int descriptor, const base::Address& peer);

  size_t index_;
  WorkerShared& shared_;
  io::Loop loop_;
  Metrics metrics_;
  http::ExchangePool exchanges_;
  http::DateCache dates_;
  std::unique_ptr<Services> services_;  // made and destroyed on the thread
  std::unique_ptr<AccessLog> access_log_;
  bool log_names_fields_ = false;  // `access_log_` wants fields of responses
  std::unique_ptr<Tree> tree_;
  std::vector<std::unique_ptr<Tree>> retired_;  // with exchanges in progress
  std::map<uint32_t, std::vector<std::unique_ptr<Listening>>> listening_;  // by Listener::id
  Connection* connections_ = nullptr;
  uint64_t next_connection_ = 1;
  std::vector<char> path_scratch_;
  io::Time refusal_logged_ = io::Time::min();
  bool draining_ = false;
  std::function<void()> drained_;
  io::Timer deadline_;
  std::thread thread_;
};

}  // namespace server
