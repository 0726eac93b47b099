// What may be configured of the reverse-proxy handler.
//
// Times, retries, TLS and kept connections are the group's (upstream/options.h), also where a route
// writes its upstream in place. Immutable once built, shared by all workers.
#pragma once

#include <cstdint>
#include <string>

#include "base/template.h"

namespace proxy {

struct Options {
  std::string upstream;              // a group's name
  base::Template host;               // Host towards the origin, Escape::kField; empty: the client's
  bool x_forwarded = true;           // X-Forwarded-For, -Proto, -Host
  bool forwarded = false;            // Forwarded (RFC 7239)
  std::uint64_t buffer_request = 0;  // body read before connecting, up to this size; 0: off
  std::uint64_t buffer_response = 0;  // body taken from the origin ahead of the client; 0: off
  bool upgrade = true;
  bool rewrite_location = true;
  bool early_hints = false;  // 103 to HTTP/1.1 clients (P08)

  bool operator==(const Options&) const = default;
};

}  // namespace proxy
