#include <print>

#include "cli/commands.h"
#include "cli/one_liner.h"
#include "config/load.h"
#include "config/summary.h"

namespace cli {

int check(const std::string& given, bool files) {
  const auto file = choose_file(given);
  if (!file) return fail(file.error());
  const auto [options, warnings] = config::check(*file, files);
  if (!options) {
    std::print(stderr, "{}", options.error());
    return 1;
  }
  std::print(stderr, "{}", warnings);
  std::print("{} is good\n{}", *file, config::summary(*options));
  return 0;
}

}  // namespace cli
