#include <expected>
#include <filesystem>
#include <format>
#include <system_error>

#include "cli/commands.h"
#include "cli/one_liner.h"
#include "config/load.h"
#include "server/server.h"

namespace cli {

std::expected<std::string, std::string> choose_file(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    const auto status = std::filesystem::status(given, error);
    if (status.type() == std::filesystem::file_type::not_found) {
      return std::unexpected(std::format("there is no file {}; name one with -c FILE", given));
    }
    if (std::filesystem::is_directory(status)) {
      return std::unexpected(
          std::format("{} is a folder; name a file with -c FILE, or serve the folder with `webship "
                      "files {}`",
                      given, given));
    }
    return given;
  }
  for (const char* candidate : {kLocalFile, kSystemFile}) {
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return std::unexpected(
      std::format("there is neither ./{} nor {}; name a file with -c FILE, or serve this folder "
                  "with `webship files`",
                  kLocalFile, kSystemFile));
}

int run(const std::string& given) {
  const auto file = choose_file(given);
  if (!file) return fail(file.error());
  return server::run([&] { return config::load(*file); });
}

}  // namespace cli
