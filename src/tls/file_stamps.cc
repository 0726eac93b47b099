#include "tls/file_stamps.h"

#include <algorithm>

namespace tls {

void FileStamps::add(const std::string& path) {
  if (path.empty() || files_.contains(path)) return;
  const auto status = io::file_status(path);
  files_[path] = status ? std::optional(*status) : std::nullopt;
}

bool FileStamps::changed() const {
  return std::ranges::any_of(files_, [](const auto& file) {
    const auto now = io::file_status(file.first);
    return now ? file.second != *now : file.second.has_value();
  });
}

bool FileStamps::same(const std::string& path, const FileStamps& other) const {
  const auto one = files_.find(path);
  const auto two = other.files_.find(path);
  return one != files_.end() && two != other.files_.end() && one->second &&
         one->second == two->second;
}

}  // namespace tls
