#include "upstream/group.h"

#include <algorithm>

namespace upstream {

Group::Group(GroupOptions options, std::shared_ptr<const tls::ClientContext> tls,
             const Group* previous)
    : options_(std::move(options)), tls_(std::move(tls)) {
  std::unordered_map<std::string_view, std::shared_ptr<Endpoint>> known;
  std::shared_ptr<const Members> before;
  if (previous != nullptr) {
    before = previous->members();
    known.reserve(before->size());
    for (const auto& endpoint : *before) known.emplace(endpoint->id(), endpoint);
  }
  auto members = std::make_shared<Members>();
  members->reserve(options_.endpoints.size());
  for (const EndpointOptions& wanted : options_.endpoints) {
    auto found = known.find(wanted.id);
    if (found == known.end()) {
      members->push_back(std::make_shared<Endpoint>(wanted));
    } else {
      members->push_back(found->second);
    }
  }
  members_ = std::move(members);
}

std::shared_ptr<const Members> Group::members() const {
  std::lock_guard lock(mutex_);
  return members_;
}

std::shared_ptr<Endpoint> Group::find(std::string_view id) const {
  auto members = this->members();
  auto found =
      std::ranges::find(*members, id, [](const auto& e) { return std::string_view(e->id()); });
  return found == members->end() ? nullptr : *found;
}

void Group::publish(std::shared_ptr<const Members> members) {
  {
    std::lock_guard lock(mutex_);
    members_.swap(members);
  }
  version_.fetch_add(1, std::memory_order_release);
}

void Group::add(const EndpointOptions& endpoint) {
  if (reweight(endpoint.id, endpoint.weight)) return;
  auto members = std::make_shared<Members>(*this->members());
  members->push_back(std::make_shared<Endpoint>(endpoint));
  publish(std::move(members));
}

bool Group::remove(std::string_view id) {
  auto endpoint = find(id);
  if (endpoint == nullptr) return false;
  auto members = std::make_shared<Members>(*this->members());
  std::erase(*members, endpoint);
  publish(std::move(members));
  endpoint->set_left(true);
  return true;
}

bool Group::reweight(std::string_view id, std::uint32_t weight) {
  auto endpoint = find(id);
  if (endpoint == nullptr) return false;
  endpoint->set_weight(weight);
  version_.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace upstream
