// What the handlers, filters and proxies of one worker work with; they refer to it.
//
// Outlives the worker's trees, so that kept connections and resolved names survive a reload. The
// worker's thread.
#pragma once

#include <cstddef>
#include <memory>

#include "base/random.h"
#include "handlers/services.h"
#include "io/loop.h"
#include "proxy/pool.h"
#include "proxy/proxy_handler.h"
#include "server/metrics.h"
#include "server/worker_shared.h"
#include "tls/worker.h"
#include "upstream/resolver.h"

namespace server {

struct Services {
  Services(io::Loop& worker_loop, WorkerShared& worker_shared, Metrics& worker_metrics,
           size_t index);

  io::Loop& loop;
  WorkerShared& shared;
  Metrics& metrics;
  base::Random random;
  std::shared_ptr<tls::Worker> tls;
  handlers::Services handlers;
  upstream::Resolver resolver;
  proxy::Pools pools;
  proxy::Services proxy;
};

}  // namespace server
