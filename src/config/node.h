// A YAML file as a tree that knows where each piece of it stands.
//
// Aliases are pointers to the anchored node, merge keys (`<<`) are merged already, the environment
// is expanded in scalars. Nodes live in a NodeStore, one for a load; the tree is not changed once
// it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "config/source.h"

namespace config {

struct Node {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };

  struct Entry {
    Node* key = nullptr;  // a scalar
    Node* value = nullptr;
  };
  // text[begin, end) stands for raw[raw_begin, raw_end).
  struct Expansion {
    std::size_t begin = 0, end = 0;
    std::size_t raw_begin = 0, raw_end = 0;
  };

  Kind kind = Kind::null;
  bool plain = false;     // a scalar without quotes
  bool complete = false;  // false: its end was not seen yet
  bool broken = false;    // an error about its text was reported: say no more of it
  std::uint32_t file = 0;
  std::uint32_t offset = 0;    // where it begins in the file
  std::uint64_t expanded = 1;  // nodes beneath and with it, each alias counted in full
  std::string text;            // of a scalar
  std::string raw;             // before expansion; empty where it is the same
  std::vector<Expansion> expansions;
  std::vector<Node*> items;    // of a sequence
  std::vector<Entry> entries;  // of a map, in the file's order

  const Entry* find(std::string_view key) const {
    for (const Entry& entry : entries) {
      if (entry.key->text == key) return &entry;
    }
    return nullptr;
  }
};

using NodeStore = std::deque<Node>;

// The node to underline.
Place place(const Source& source, const Node& node);
// Where the byte `offset` of the raw text stands in the file, as well as that can be said.
Place place_in_raw(const Source& source, const Node& node, std::size_t offset, std::size_t size);
// Likewise of the expanded text.
Place place_within(const Source& source, const Node& node, std::size_t offset, std::size_t size);

// Past the anchor and tag that a node at `at` may begin with.
std::size_t skip_properties(std::string_view text, std::size_t at);

// `map`, `list`, `text`, for messages.
std::string_view kind_name(const Node& node);

}  // namespace config
