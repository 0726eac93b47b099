// Any bytes as a configuration file: it is taken, or refused with a text that shows where; never a
// crash, and within the loader's bounds. Files include each other: the input is split at NULs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/summary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> files;
  for (std::size_t at = 0; at <= input.size() && files.size() < 4;) {
    const std::size_t end = std::min(input.find('\0', at), input.size());
    files.emplace_back(input.substr(at, end - at));
    at = end + 1;
  }
  // Files are named 0, 1, 2, 3.
  const auto number = [&files](const std::string& path) {
    return path.size() == 1 ? static_cast<std::size_t>(path[0] - '0') : files.size();
  };
  const config::Surroundings surroundings{
      .read = [&](const std::string& path) -> std::expected<std::string, std::string> {
        if (number(path) < files.size()) return files[number(path)];
        return std::unexpected("there is none");
      },
      .glob = [](const std::string&) { return std::vector<std::string>{"1", "2", "3"}; },
      .environment = [](const std::string& name) -> std::optional<std::string> {
        if (name.size() > 2) return std::nullopt;
        return "{" + name + "}\n: ${A}";
      }};
  const auto options = config::load("0", surroundings);
  if (options) {
    if (options->sites.empty() || config::summary(*options).empty()) std::abort();
  } else if (!options.error().ends_with('\n') || !options.error().contains("error")) {
    std::abort();
  }
  return 0;
}
