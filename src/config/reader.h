// Reads one load: where errors go, and what is known only once everything was read.
//
// Passed to every type and object of the definitions. References to names (upstreams, listeners)
// are noted here and looked up at the end, so that the order of keys doesn't matter.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/diagnostics.h"
#include "config/node.h"
#include "config/source.h"
#include "server/options.h"

namespace config {

// A name that was used and must be an upstream's.
struct UpstreamReference {
  const Node* node = nullptr;
  std::string name;
};

class Reader {
 public:
  Reader(const Sources& sources, Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  void error(const Node& node, std::string message, std::string hint = {});
  // About a piece of a scalar's text.
  void error_within(const Node& node, std::size_t offset, std::size_t size, std::string message,
                    std::string hint = {});

  // The scalar's text; for anything else nullptr and an error that says `expected`.
  const std::string* scalar(const Node& node, std::string_view expected);

  const Source& source(const Node& node) const { return sources_[node.file]; }
  std::size_t line(const Node& node) const;
  // A path of the configuration: relative ones start from the folder of the file that names them.
  std::string resolve_path(const Node& node, std::string_view path) const;

  // The process's limits, from which those of listeners start.
  server::Limits limits;
  std::vector<UpstreamReference> upstream_references;
  // Groups that routes wrote in place, each once.
  std::vector<upstream::GroupOptions> inline_groups;
  std::unordered_map<std::string, std::size_t> inline_group_indexes;  // in inline_groups, by name

 private:
  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace config
