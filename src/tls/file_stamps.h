// What files were when they were read, so that it can be seen later whether they have changed.
//
// Asks the file system, so not on the path of a request. Not thread-safe while files are added.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "io/file.h"

namespace tls {

class FileStamps {
 public:
  // Before the file is read: a change in between is then seen as one. No path: nothing.
  void add(const std::string& path);
  // Whether any of them is another one now.
  bool changed() const;
  // Whether it was there, and the same, for both.
  bool same(const std::string& path, const FileStamps& other) const;

 private:
  std::map<std::string, std::optional<io::FileStatus>> files_;
};

}  // namespace tls
