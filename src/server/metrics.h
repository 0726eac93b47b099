// What one worker counts. Written by its thread alone, read by the admin pages at any time.
//
// Sums over workers are made where they are shown (server/admin_handler). A reader may see one
// counter ahead of another.
#pragma once

#include <array>

#include "base/counter.h"

namespace server {

struct Metrics {
  base::Counter connections_accepted;
  base::Counter connections_refused;  // over a limit
  base::Gauge connections_open;
  base::Gauge connections_active;  // with an exchange in progress
  base::Counter handshakes;
  base::Counter handshakes_failed;
  std::array<base::Counter, 6> responses;  // by class of status; 0: none
  base::Counter requests_refused;          // never became an exchange
  base::Counter requests_aborted;          // cut by the client or by an error on the way
  base::Counter body_bytes_received;
  base::Counter body_bytes_sent;
  base::Counter upstream_failures;  // proxied requests that no origin answered
  base::Histogram request_duration;
};

}  // namespace server
