// One YAML file → a tree of nodes.
//
// Reports what yaml-cpp lets pass: a key twice in a map, several documents, unknown tags, keys that
// aren't text. Bounded in size, depth and in what aliases expand to (a file of a hundred lines can
// otherwise mean a billion nodes). Merge keys are applied here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "config/diagnostics.h"
#include "config/expand.h"
#include "config/node.h"
#include "config/source.h"

namespace config {

// 10,000 sites or endpoints fit several times.
inline constexpr std::size_t kFileSizeMax = 8 << 20;
// Nesting; the language itself needs ten.
inline constexpr std::size_t kDepthMax = 50;
// Nodes of all files together.
inline constexpr std::size_t kNodesMax = 1'000'000;
// What aliases may add to them.
inline constexpr std::uint64_t kAliasedNodesMax = 100'000;

// The root of sources[file], or nullptr where it isn't YAML, which is reported. Errors within the
// tree are reported and the rest of it returned. A file without anything is a null.
Node* parse_document(const Sources& sources, std::uint32_t file, NodeStore& store,
                     const Environment& environment, Diagnostics& diagnostics);

}  // namespace config
