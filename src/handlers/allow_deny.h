// Access by the client's address: 403 for whom it doesn't concern.
//
// The client address is the peer's unless trusted proxies say otherwise; it was decided before any
// filter. Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class Allow final : public http::Filter {
 public:
  // `options` outlives it.
  explicit Allow(const AllowOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override {
    if (options_.networks.contains(exchange.client())) return http::Verdict::next;
    exchange.respond(403);
    return http::Verdict::answered;
  }

 private:
  const AllowOptions& options_;
};

class Deny final : public http::Filter {
 public:
  explicit Deny(const DenyOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override {
    if (!options_.networks.contains(exchange.client())) return http::Verdict::next;
    exchange.respond(403);
    return http::Verdict::answered;
  }

 private:
  const DenyOptions& options_;
};

}  // namespace handlers
