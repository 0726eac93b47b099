#include "handlers/hidden.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace handlers {

bool is_hidden_name(std::string_view name) {
  if (name.empty()) return false;
  if (name.front() == '.' || name.back() == '~') return true;
  if (name.front() == '#' && name.back() == '#') return true;  // Emacs' auto-save
  constexpr std::array<std::string_view, 10> kSuffixes = {
      ".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".swn", ".rej", ".dpkg-old"};
  const size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0) return false;
  return std::ranges::any_of(kSuffixes, [suffix = name.substr(dot)](std::string_view known) {
    return base::iequals(suffix, known);
  });
}

bool is_hidden_path(std::string_view path) {
  size_t at = 0;
  bool first = true;
  while (at < path.size()) {
    const size_t begin = at + 1;
    size_t end = path.find('/', begin);
    if (end == path.npos) end = path.size();
    const std::string_view name = path.substr(begin, end - begin);
    if (is_hidden_name(name) && !(first && name == ".well-known")) return true;
    first = false;
    at = end;
  }
  return false;
}

}  // namespace handlers
