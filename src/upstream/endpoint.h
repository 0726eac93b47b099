// One endpoint of a group: an address or a name, and what the process knows of its health.
//
// Shared by all workers, which read its atomics with every request and write them hardly ever.
// It keeps its identity (the id within its group) through reloads and changes at run time, and with
// it its marks. Passive marks only: `count` failures within `within` eject it for `eject`; the
// first failure after that ejects it again until a request succeeds. Ejection is advice: whoever
// finds no other endpoint may try once a second (claim_probe), so that no endpoint is lost for
// longer. Invariant: options() never changes but for the weight, which weight() says.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "io/loop.h"
#include "upstream/options.h"

namespace upstream {

class FailureMarks {
 public:
  static constexpr io::Duration kProbeInterval = std::chrono::seconds(1);

  bool ejected(io::Time now) const {
    return now.time_since_epoch().count() < ejected_until_.load(std::memory_order_relaxed);
  }
  // True if this failure ejects the endpoint.
  bool failed(io::Time now, const FailureOptions& options);
  void succeeded() {
    // A load with every response; the stores are for the rare case.
    if (suspect_.load(std::memory_order_relaxed)) clear();
  }
  // True for one caller a second among all workers.
  bool claim_probe(io::Time now);
  void clear();

 private:
  std::atomic<std::int64_t> ejected_until_{0};
  std::atomic<std::uint64_t> window_{0};  // when it began (ms, upper 40 bits), failures since (24)
  std::atomic<std::int64_t> next_probe_{0};
  std::atomic<bool> suspect_{false};  // was ejected, and nothing has succeeded since
};

class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  explicit Endpoint(EndpointOptions options) : options_(std::move(options)) {}
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  const EndpointOptions& options() const { return options_; }
  const std::string& id() const { return options_.id; }
  // No group holds it any more: kept connections are closed, those in use after their exchange.
  bool left() const { return left_.load(std::memory_order_relaxed); }
  void set_left(bool left) { left_.store(left, std::memory_order_relaxed); }

  FailureMarks& marks() { return marks_; }
  const FailureMarks& marks() const { return marks_; }

 private:
  EndpointOptions options_;
  std::atomic<bool> left_{false};
  FailureMarks marks_;
};

}  // namespace upstream
