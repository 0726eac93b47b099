// `${NAME}` and `${NAME:-default}` in a scalar, from the environment; `$${` is a literal `${`.
//
// Done after parsing, so that a value of the environment can't change the file's structure. What is
// put in is not looked at again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.h"

namespace config {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct ExpandError {
  std::size_t offset = 0;  // in the raw text
  std::size_t size = 0;
  std::string message;
  std::string hint;
};

// Of one scalar with everything put in.
inline constexpr std::size_t kExpandedSizeMax = 1 << 20;

// Expands node.text in place and fills raw and expansions. What is wrong is left as it is.
std::vector<ExpandError> expand(Node& node, const Environment& environment);

}  // namespace config
