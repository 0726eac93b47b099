// Filters in order, then the handler: what a route does with an exchange.
//
// Stays out of coroutines while nothing suspends; from the first filter or handler that returns a
// task on, a task runs the rest. Owned by a route; belongs to one worker.
#pragma once

#include <memory>
#include <vector>

#include "http/handler.h"

namespace http {

struct Chain {
  std::vector<std::unique_ptr<Filter>> filters;
  std::unique_ptr<Handler> handler;
};

// Runs `first` (a site's filters), then `second`'s filters, then `second`'s handler.
Outcome run_chain(const std::vector<std::unique_ptr<Filter>>& first, const Chain& second,
                  Exchange& exchange);

}  // namespace http
