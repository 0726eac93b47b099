#include "upstream/round_robin.h"

#include <algorithm>
#include <unordered_map>

namespace upstream {

namespace {

bool was_tried(const Selection& selection, const Endpoint* endpoint) {
  return std::ranges::find(selection.tried, endpoint) != selection.tried.end();
}

}  // namespace

RoundRobin::RoundRobin(std::shared_ptr<Group> group, base::Random& random)
    : group_(std::move(group)), random_(random) {}

void RoundRobin::push(Turn turn) {
  turn.order = order_++;
  turns_.push_back(std::move(turn));
  std::push_heap(turns_.begin(), turns_.end(), Later{});
}

// Who stays keeps its place; who is new begins where the others are.
void RoundRobin::refresh() {
  const std::uint64_t version = group_->version();
  if (version == version_) return;
  version_ = version;
  std::unordered_map<const Endpoint*, std::uint64_t> passes;
  passes.reserve(turns_.size());
  for (const Turn& turn : turns_) passes.emplace(turn.endpoint.get(), turn.pass);
  auto members = group_->members();
  turns_.clear();
  turns_.reserve(members->size());
  for (const auto& [endpoint, weight] : *members) {
    if (weight == 0) continue;
    const std::uint64_t stride = kStride / std::min(weight, kWeightMax);
    auto known = passes.find(endpoint.get());
    const std::uint64_t pass = known == passes.end() ? now_ + random_.below(stride) : known->second;
    turns_.push_back({pass, order_++, stride, endpoint});
  }
  std::make_heap(turns_.begin(), turns_.end(), Later{});
}

Endpoint* RoundRobin::pick(const Selection& selection) {
  refresh();
  if (turns_.size() == 1) {
    Endpoint* only = turns_.front().endpoint.get();
    return was_tried(selection, only) ? nullptr : only;
  }
  Endpoint* chosen = nullptr;
  while (chosen == nullptr && !turns_.empty()) {
    std::pop_heap(turns_.begin(), turns_.end(), Later{});
    Turn turn = std::move(turns_.back());
    turns_.pop_back();
    Endpoint* endpoint = turn.endpoint.get();
    if (!was_tried(selection, endpoint) && !endpoint->marks().ejected(selection.now)) {
      chosen = endpoint;
      now_ = turn.pass;
    }
    turn.pass += turn.stride;
    if (chosen != nullptr) {
      push(std::move(turn));
    } else {
      aside_.push_back(std::move(turn));
    }
  }
  for (Turn& turn : aside_) push(std::move(turn));
  aside_.clear();
  return chosen != nullptr ? chosen : probe(selection);
}

Endpoint* RoundRobin::probe(const Selection& selection) {
  for (const Turn& turn : turns_) {
    if (was_tried(selection, turn.endpoint.get())) continue;
    if (turn.endpoint->marks().claim_probe(selection.now)) return turn.endpoint.get();
  }
  return nullptr;
}

}  // namespace upstream
