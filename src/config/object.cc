#include "config/object.h"

#include <algorithm>

namespace config {
namespace {

// More alternatives don't help in a message.
constexpr std::size_t kShownMax = 8;

std::string choices(const std::vector<std::string>& names) {
  std::vector<std::string_view> views(names.begin(), names.end());
  return either(views);
}

}  // namespace

bool check_keys(Reader& reader, const Node& node, const ObjectShape& shape) {
  bool good = true;
  std::vector<std::string_view> names;
  for (const KeyShape& key : shape.keys) names.push_back(key.name);
  for (const Node::Entry& entry : node.entries) {
    const std::string& name = entry.key->text;
    if (name.starts_with("x-") || std::ranges::contains(names, name)) continue;
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) {
      hint = "keys here: ";
      for (const std::string_view known : names) {
        if (known != names.front()) hint += ", ";
        hint += known;
      }
    }
    reader.error(*entry.key, std::format("unknown key {} in {}", in_quotes(name), shape.name),
                 std::move(hint));
    good = false;
  }
  return good;
}

const Node::Entry* check_choice(Reader& reader, const Node& node, const ObjectShape& shape) {
  const Node::Entry* chosen = nullptr;
  for (const Node::Entry& entry : node.entries) {
    if (!std::ranges::contains(shape.choice, entry.key->text)) continue;
    if (chosen != nullptr) {
      reader.error(*entry.key,
                   std::format("{} has {} on line {} already, and only one of both can be",
                               shape.name, in_quotes(chosen->key->text), reader.line(*chosen->key)),
                   shape.choice.size() > kShownMax
                       ? "make each an entry of its own"
                       : std::format("keep one of {}", choices(shape.choice)));
      return nullptr;
    }
    chosen = &entry;
  }
  if (chosen == nullptr) {
    // What was meant may be there misspelled, which is reported already.
    std::vector<std::string_view> names(shape.choice.begin(), shape.choice.end());
    for (const Node::Entry& entry : node.entries) {
      if (!base::closest(entry.key->text, names).empty()) return nullptr;
    }
    reader.error(node, std::format("{} needs one of {}", shape.name, choices(shape.choice)));
  }
  return chosen;
}

void report_missing(Reader& reader, const Node& node, const ObjectShape& shape,
                    const std::string& key) {
  std::vector<std::string_view> name{key};
  for (const Node::Entry& entry : node.entries) {
    const bool known = std::ranges::contains(shape.keys, entry.key->text, &KeyShape::name);
    if (!known && !base::closest(entry.key->text, name).empty()) return;  // misspelled: reported
  }
  const auto defined = std::ranges::find(shape.keys, key, &KeyShape::name);
  std::string hint;
  if (!defined->examples.empty()) {
    hint = std::format("like {}: {}", key, defined->examples.front());
  }
  reader.error(node, std::format("{} needs the key \"{}\"", shape.name, key), std::move(hint));
}

}  // namespace config
