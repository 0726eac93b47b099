#include "upstream/registry.h"

#include <algorithm>
#include <unordered_set>

namespace upstream {

namespace {

// Files may have changed though their names are the same: such a context is made again.
bool on_other_files(const Group& group) {
  return group.tls() != nullptr && group.tls()->files_changed();
}

}  // namespace

std::expected<std::shared_ptr<Registry>, std::string> Registry::build(
    std::span<const GroupOptions> options, const Registry* previous, std::int64_t unix_time) {
  auto registry = std::make_shared<Registry>();
  tls::SystemAuthorities authorities;
  for (const GroupOptions& wanted : options) {
    std::shared_ptr<Group> before = previous == nullptr ? nullptr : previous->find(wanted.name);
    if (before != nullptr && before->unchanged() && before->options() == wanted &&
        !on_other_files(*before)) {
      registry->groups_.emplace(wanted.name, std::move(before));
      continue;
    }
    std::shared_ptr<const tls::ClientContext> context;
    if (std::ranges::any_of(wanted.endpoints, &EndpointOptions::tls)) {
      if (before != nullptr && before->options().tls == wanted.tls && !on_other_files(*before)) {
        context = before->tls();
      }
      if (context == nullptr) {
        auto made = tls::ClientContext::create(wanted.tls, {"http/1.1"}, authorities, unix_time);
        if (!made) return std::unexpected("upstream " + wanted.name + ": " + made.error());
        context = std::move(*made);
      }
    }
    registry->groups_.emplace(wanted.name,
                              std::make_shared<Group>(wanted, std::move(context), before.get()));
  }
  return registry;
}

bool Registry::files_changed() const {
  return std::ranges::any_of(groups_,
                             [](const auto& group) { return on_other_files(*group.second); });
}

std::shared_ptr<Group> Registry::find(std::string_view name) const {
  auto found = groups_.find(std::string(name));
  return found == groups_.end() ? nullptr : found->second;
}

void Registry::retire(const Registry& previous) const {
  std::unordered_set<const Endpoint*> here;
  for (const auto& [name, group] : groups_) {
    for (const auto& member : *group->members()) here.insert(member.endpoint.get());
  }
  for (const auto& [name, group] : previous.groups_) {
    for (const auto& member : *group->members()) {
      if (!here.contains(member.endpoint.get())) member.endpoint->set_left(true);
    }
  }
}

}  // namespace upstream
