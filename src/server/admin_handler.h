// The admin pages: status, health, readiness and Prometheus metrics.
//
// A handler on a listener of its own, on loopback or a unix socket. A request must name a local
// host (against DNS rebinding) and come from no page of another origin (attack O07). Reads the
// workers' counters; changes nothing.
#pragma once

#include <string>

#include "http/handler.h"
#include "server/process_state.h"

namespace server {

class AdminHandler final : public http::Handler {
 public:
  explicit AdminHandler(const ProcessState& state) : state_(state) {}
  http::Outcome handle(http::Exchange& exchange) override;

 private:
  void answer(http::Exchange& exchange, std::string_view type, const std::string& text);

  const ProcessState& state_;
};

// Prometheus text exposition format 0.0.4.
std::string metrics_text(const ProcessState& state);
std::string status_json(const ProcessState& state);

}  // namespace server
