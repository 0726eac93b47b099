// What all workers of the process share: helper threads, keys, counters to be read.
//
// Everything in here may be used from any thread, or is written only before the workers start.
#pragma once

#include <cstdint>
#include <memory>

#include "base/hash.h"
#include "base/random.h"
#include "http/media_type.h"
#include "io/helper_pool.h"
#include "proxy/request_fields.h"
#include "server/connection_count.h"
#include "server/process_state.h"
#include "tls/ticket_keys.h"

namespace server {

struct Snapshot;

struct WorkerShared {
  explicit WorkerShared(int64_t unix_time);

  io::HelperPool helpers;           // cold files, listings
  io::HelperPool password_helpers;  // of their own: hashing must not hold up files
  std::shared_ptr<tls::TicketKeys> ticket_keys;
  base::HashKey hash_key;
  http::MediaTypes media_types;
  proxy::Pseudonym pseudonym;
  ProcessState state;
  ConnectionCount connections;  // of all listeners but the admin pages'

  // A generator for one worker.
  base::Random::Seed seed(size_t worker) const;
  // Makes and forgets ticket keys by the shortest rotation and the longest lifetime in force.
  void maintain_tickets(const Snapshot& snapshot, int64_t unix_time);

 private:
  base::Random::Seed seed_;
};

}  // namespace server
