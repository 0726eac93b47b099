// What handlers and filters need of the worker they belong to.
//
// References to things of the worker, made by server/. It outlives every handler that was built
// with it, as handlers belong to a snapshot of the configuration and a worker sees many of those.
#pragma once

#include "base/hash.h"
#include "base/random.h"
#include "http/media_type.h"
#include "io/helper_pool.h"
#include "io/loop.h"

namespace handlers {

struct Services {
  io::Loop& loop;
  io::HelperPool& helpers;           // cold files, listings
  io::HelperPool& password_helpers;  // may be the same; a pool of its own keeps files fast
  const http::MediaTypes& media_types;
  base::Random& random;
  base::HashKey hash_key;  // for tables that peers fill (D06)
};

}  // namespace handlers
