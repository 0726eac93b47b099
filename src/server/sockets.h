// The listening sockets, owned by the process for as long as their address is configured.
//
// One per worker and TCP address (SO_REUSEPORT), one for all workers where an address has a single
// socket (unix). Opened before privileges are dropped. Closing a socket resets the connections that
// wait in its queue, so a reload closes only those of addresses that left the configuration.
// Main thread only.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "base/address.h"

namespace server {

class Sockets {
 public:
  struct Opened {
    base::Address address;         // as bound: port 0 has become a real one
    std::vector<int> descriptors;  // one per worker, or one that all share
  };

  Sockets() = default;
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  // Sees to it that `address` is open; what was open stays. The error says what to do.
  std::expected<const Opened*, std::string> open(const base::Address& address, size_t workers);
  // Closes all but these.
  void keep_only(const std::vector<base::Address>& addresses);

 private:
  std::map<std::string, Opened> opened_;  // by the address as configured
};

}  // namespace server
