#include <expected>
#include <filesystem>
#include <print>
#include <system_error>

#include "cli/commands.h"
#include "config/load.h"
#include "server/server.h"

namespace cli {

std::string choose_file(const std::string& given) {
  if (!given.empty()) return given;
  std::error_code error;
  for (const char* candidate : {kLocalFile, kSystemFile}) {
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return {};
}

int no_file() {
  std::println(stderr,
               "webship: there is neither ./{} nor {}; name a file with -c FILE, or serve this "
               "folder with `webship files`",
               kLocalFile, kSystemFile);
  return 1;
}

int run(const std::string& given) {
  const std::string file = choose_file(given);
  if (file.empty()) return no_file();
  return server::run([file] { return config::load(file); });
}

}  // namespace cli
