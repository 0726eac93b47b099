// All groups of one configuration, by name.
//
// Built on the main thread from the options and the registry that is in force: a group whose
// options and files did not change is the same object in both, endpoints of the same group and id
// are too; so a reload keeps pools, marks and balancing of all that stays. Building changes nothing
// that exists; retire() does, once the new one is in force. Immutable after that; shared by all
// workers.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "upstream/group.h"
#include "upstream/options.h"

namespace upstream {

class Registry {
 public:
  using Groups = std::unordered_map<std::string, std::shared_ptr<Group>>;

  // The error says which group and why (a CA that can't be read). `unix_time` is for certificates.
  static std::expected<std::shared_ptr<Registry>, std::string> build(
      std::span<const GroupOptions> options, const Registry* previous, std::int64_t unix_time);

  // nullptr: there is none of this name.
  std::shared_ptr<Group> find(std::string_view name) const;
  const Groups& groups() const { return groups_; }

  // Whether a certificate or CA file that a group uses is another one now. Asks the file system.
  bool files_changed() const;

  // This one follows `previous`: endpoints that only that one has have left.
  void retire(const Registry& previous) const;

 private:
  Groups groups_;
};

}  // namespace upstream
