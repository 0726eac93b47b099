#include "config/load.h"

#include <format>
#include <utility>

#include "config/files.h"
#include "config/finish.h"
#include "config/keys.h"
#include "config/reader.h"

namespace config {

Checked check(const std::string& path, bool files, const Surroundings& surroundings) {
  Sources sources;
  NodeStore store;
  Diagnostics diagnostics;
  server::Options options;
  if (const Node* root = read_tree(path, surroundings, sources, store, diagnostics)) {
    Reader reader(sources, diagnostics);
    Draft draft;
    const bool good = top_keys().read(reader, *root, draft) && diagnostics.empty();
    options = finish(std::move(draft), *root, good, reader);
    if (files) check_files(reader);
  }
  std::string text = diagnostics.text(sources);
  if (diagnostics.empty()) return {.options = std::move(options), .warnings = std::move(text)};
  const std::size_t count = diagnostics.size();
  if (count > 0) {
    text += std::format("{} error{} in the configuration\n", count, count == 1 ? "" : "s");
  }
  return {.options = std::unexpected(std::move(text)), .warnings = {}};
}

std::expected<server::Options, std::string> load(const std::string& path,
                                                 const Surroundings& surroundings) {
  return check(path, false, surroundings).options;
}

}  // namespace config
