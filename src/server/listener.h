// A listener as connections see it: its options, limits and certificates in force.
//
// Immutable and shared by all workers; a reload makes a new one, and connections keep the one that
// they were accepted with. The sockets are the process's (server/sockets).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "http/limits.h"
#include "server/connection_count.h"
#include "server/options.h"

namespace tls {
class ServerContext;
}

namespace server {

struct Listener {
  uint32_t id = 0;  // index of its router; the same for the same name through reloads
  ListenerOptions options;
  std::shared_ptr<const tls::ServerContext> tls;  // nullptr: cleartext
  bool admin = false;                             // the admin pages: one worker, no access log
  std::shared_ptr<ConnectionCount> connections;   // goes on through reloads
};

}  // namespace server
