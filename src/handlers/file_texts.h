// The texts of files that filters are made of (error pages, users), read when a configuration is
// prepared: every worker builds its filters from the same texts, and none waits for a disk.
//
// Filled on the main thread, immutable afterwards.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <utility>

#include "io/error.h"
#include "io/file.h"

namespace handlers {

class FileTexts {
 public:
  // The text, read now unless it was before.
  std::expected<const std::string*, io::Error> read(const std::string& path, size_t size_max) {
    if (const std::string* known = find(path)) return known;
    auto text = io::read_file(path, size_max);
    if (!text) return std::unexpected(text.error());
    return &texts_.emplace(path, std::move(*text)).first->second;
  }
  // nullptr: it was not read.
  const std::string* find(const std::string& path) const {
    const auto found = texts_.find(path);
    return found == texts_.end() ? nullptr : &found->second;
  }

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace handlers
