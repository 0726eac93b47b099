// Exchanges kept for reuse by one worker, so that an idle connection holds none.
//
// Bounded: a burst does not hold memory for ever. Outlives every connection of its worker.
#pragma once

#include <memory>
#include <vector>

#include "base/slice.h"
#include "http/exchange.h"

namespace http {

class ExchangePool {
 public:
  static constexpr size_t kKeptMax = 512;

  // `seed` for request ids.
  explicit ExchangePool(const base::Random::Seed& seed) : random_(seed) {}

  std::unique_ptr<Exchange> take() {
    if (kept_.empty()) return std::make_unique<Exchange>(arena_blocks_, random_);
    auto exchange = std::move(kept_.back());
    kept_.pop_back();
    return exchange;
  }
  void put(std::unique_ptr<Exchange> exchange) {
    if (kept_.size() == kKeptMax) return;
    exchange->arena().clear();
    kept_.push_back(std::move(exchange));
  }

 private:
  // Small, for most exchanges keep little (a head); larger requests get blocks of their own.
  base::BlockPool arena_blocks_{2 * 1024 - 64, 1024};
  base::Random random_;
  std::vector<std::unique_ptr<Exchange>> kept_;
};

}  // namespace http
