// One line per request: combined, JSON, or a template of the configuration.
//
// Formats on the worker, appends to the worker's queue (server/log_queue). Any byte that a client
// sends is escaped (attack D07). Requests that never became an exchange have a line too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/handler.h"
#include "http/variables.h"
#include "io/loop.h"
#include "server/log_queue.h"
#include "server/options.h"
#include "server/snapshot.h"

namespace server {

class AccessLog {
 public:
  AccessLog(std::shared_ptr<const Snapshot> snapshot, LogQueue::Producer& producer, io::Loop& loop)
      : snapshot_(std::move(snapshot)),
        options_(snapshot_->options.access_log),
        producer_(producer),
        loop_(loop) {}

  // Whether its lines name fields of the response, which must be kept for it.
  bool names_response_fields() const {
    return options_.format == AccessLogOptions::Format::kTemplate &&
           options_.line.uses(static_cast<int>(http::Variable::response_header));
  }
  void write(http::Exchange& exchange);
  void write_refused(const http::ConnectionInfo& connection, int status, std::string_view line,
                     std::string_view reason);

 private:
  void append_clf_time();
  void append_json_time();
  void combined(http::Exchange& exchange);
  void json(http::Exchange& exchange);

  std::shared_ptr<const Snapshot> snapshot_;
  const AccessLogOptions& options_;
  LogQueue::Producer& producer_;
  io::Loop& loop_;
  std::string line_;
  std::string time_;  // formatted once a second
  int64_t time_second_ = -1;
};

}  // namespace server
