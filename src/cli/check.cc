#include <print>

#include "cli/commands.h"
#include "config/load.h"
#include "config/summary.h"

namespace cli {

int check(const std::string& given, bool files) {
  const std::string file = choose_file(given);
  if (file.empty()) return no_file();
  const auto [options, warnings] = config::check(file, files);
  if (!options) {
    std::print(stderr, "{}", options.error());
    return 1;
  }
  std::print(stderr, "{}", warnings);
  std::print("{} is good\n{}", file, config::summary(*options));
  return 0;
}

}  // namespace cli
