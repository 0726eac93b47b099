// The canonical path: never longer, never climbing, and the same when computed again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/path.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_canonical(std::string_view path) {
  check(path.starts_with('/'));
  check(path.find("//") == std::string_view::npos);
  const std::string closed = std::string(path) + "/";
  check(closed.find("/../") == std::string::npos && closed.find("/./") == std::string::npos);
  for (char c : path) check(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);

  std::string target;
  http::append_target_path(target, path);
  for (char c : target) check(c > ' ' && c < 0x7f && c != '?' && c != '#' && c != '\\');
  std::vector<char> scratch(target.size());
  const auto again = http::canonical_path(target, scratch.data());
  check(again.has_value() && *again == path);

  std::vector<char> file_scratch(path.size());
  if (const auto file = http::file_path(path, file_scratch.data())) {
    check(file->size() <= path.size());
    check(file->find('\0') == std::string_view::npos);
    check((std::string(*file) + "/").find("/../") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte says how much of the rest is a prefix.
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view prefix = input.substr(0, data[0] % 16);
  const std::string_view raw = input.substr(prefix.size());
  std::vector<char> scratch(raw.size());
  const auto path = http::canonical_path(raw, scratch.data());
  if (!path) return 0;
  check(path->size() <= raw.size());
  check_canonical(*path);

  const auto stripped = http::strip_prefix(*path, prefix);
  check(stripped.has_value() == http::is_under(*path, prefix));
  if (stripped && prefix.starts_with('/')) {
    check_canonical(*stripped);
    std::string joined;
    http::append_joined(joined, prefix, *stripped);
    check(joined == *path || joined == std::string(*path) + "/");
  }
  return 0;
}
