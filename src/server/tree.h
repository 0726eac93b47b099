// What answers requests on one worker: routers, sites, routes, handlers and filters, built from one
// snapshot of the configuration.
//
// A reload builds another; this one lives until the last exchange that began in it has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/router.h"
#include "server/snapshot.h"

namespace server {

struct Tree {
  std::shared_ptr<const Snapshot> snapshot;
  std::vector<std::unique_ptr<http::Site>> sites;
  std::vector<std::unique_ptr<http::Router>> routers;  // by Listener::id; may hold nullptr
  uint64_t exchanges = 0;                              // in progress, begun in this tree
};

}  // namespace server
