// A file and what it includes → one tree.
//
// `include` is a list of paths and globs, relative to the file that has it. Lists are appended,
// maps joined; a key twice is an error that names both places. A file that a glob finds again is
// read once; one that includes itself by name is an error. Bounded in files, depth and bytes.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/expand.h"
#include "config/node.h"
#include "config/source.h"

namespace config {

// Where files and variables come from: the process's, or a test's.
struct Surroundings {
  // The file's text, or why it can't be read ("No such file or directory").
  std::function<std::expected<std::string, std::string>(const std::string& path)> read;
  // The paths that a pattern stands for, sorted.
  std::function<std::vector<std::string>(const std::string& pattern)> glob;
  Environment environment;

  static Surroundings of_process();
};

// Files of one configuration.
inline constexpr std::size_t kFilesMax = 10'000;
// Files that include files.
inline constexpr std::size_t kIncludeDepthMax = 8;
// Bytes of all files.
inline constexpr std::size_t kBytesMax = 64 << 20;

// The merged root, or nullptr where the first file has none. Errors are reported.
Node* read_tree(const std::string& path, const Surroundings& surroundings, Sources& sources,
                NodeStore& store, Diagnostics& diagnostics);

}  // namespace config
