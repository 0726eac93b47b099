#include "config/load.h"

#include <format>
#include <utility>

#include "config/finish.h"
#include "config/keys.h"
#include "config/reader.h"

namespace config {

std::expected<server::Options, std::string> load(const std::string& path,
                                                 const Surroundings& surroundings) {
  Sources sources;
  NodeStore store;
  Diagnostics diagnostics;
  server::Options options;
  if (const Node* root = read_tree(path, surroundings, sources, store, diagnostics)) {
    Reader reader(sources, diagnostics);
    Draft draft;
    const bool good = top_keys().read(reader, *root, draft) && diagnostics.empty();
    options = finish(std::move(draft), *root, good, reader);
  }
  if (diagnostics.empty()) return options;
  std::string text = diagnostics.text(sources);
  const std::size_t count = diagnostics.size();
  if (count > 0) {
    text += std::format("{} error{} in the configuration\n", count, count == 1 ? "" : "s");
  }
  return std::unexpected(std::move(text));
}

}  // namespace config
