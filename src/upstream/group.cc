#include "upstream/group.h"

#include <algorithm>
#include <unordered_map>

namespace upstream {

namespace {

template <typename List>
auto find_member(List& members, std::string_view id) {
  return std::ranges::find_if(members, [id](const Member& m) { return m.endpoint->id() == id; });
}

}  // namespace

Group::Group(GroupOptions options, std::shared_ptr<const tls::ClientContext> tls,
             const Group* previous)
    : options_(std::move(options)), tls_(std::move(tls)) {
  std::unordered_map<std::string_view, const std::shared_ptr<Endpoint>*> known;
  std::shared_ptr<const Members> before;
  if (previous != nullptr) {
    before = previous->members();
    known.reserve(before->size());
    for (const Member& member : *before) known.emplace(member.endpoint->id(), &member.endpoint);
  }
  auto members = std::make_shared<Members>();
  members->reserve(options_.endpoints.size());
  for (const EndpointOptions& wanted : options_.endpoints) {
    auto found = known.find(wanted.id);
    members->push_back({found == known.end() ? std::make_shared<Endpoint>(wanted) : *found->second,
                        wanted.weight});
  }
  members_ = std::move(members);
}

std::shared_ptr<const Members> Group::members() const {
  std::lock_guard lock(mutex_);
  return members_;
}

std::shared_ptr<Endpoint> Group::find(std::string_view id) const {
  auto members = this->members();
  auto found = find_member(*members, id);
  return found == members->end() ? nullptr : found->endpoint;
}

bool Group::change(const std::function<bool(Members&)>& edit) {
  std::lock_guard lock(mutex_);
  auto members = std::make_shared<Members>(*members_);
  if (!edit(*members)) return false;
  members_ = std::move(members);
  version_.fetch_add(1, std::memory_order_release);
  return true;
}

void Group::add(const EndpointOptions& endpoint) {
  change([&](Members& members) {
    auto found = find_member(members, endpoint.id);
    if (found == members.end()) {
      members.push_back({std::make_shared<Endpoint>(endpoint), endpoint.weight});
    } else {
      found->weight = endpoint.weight;
    }
    return true;
  });
}

bool Group::remove(std::string_view id) {
  return change([&](Members& members) {
    auto found = find_member(members, id);
    if (found == members.end()) return false;
    found->endpoint->set_left(true);
    members.erase(found);
    return true;
  });
}

bool Group::reweight(std::string_view id, std::uint32_t weight) {
  return change([&](Members& members) {
    auto found = find_member(members, id);
    if (found == members.end()) return false;
    found->weight = weight;
    return true;
  });
}

std::unique_ptr<io::StreamLayer> Group::make_layer(const Endpoint& endpoint,
                                                   std::shared_ptr<tls::SessionSlot> slot,
                                                   std::shared_ptr<tls::Worker> worker) const {
  if (!endpoint.options().tls) return nullptr;
  return std::make_unique<tls::ClientLayer>(tls_, endpoint.options().host, std::move(slot),
                                            std::move(worker));
}

}  // namespace upstream
