#include <filesystem>
#include <format>
#include <print>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "cli/one_liner.h"
#include "server/server.h"

namespace cli {

int files(const FilesArguments& arguments) {
  std::error_code error;
  if (!std::filesystem::is_directory(arguments.folder, error)) {
    const bool exists = std::filesystem::exists(arguments.folder, error);
    return fail(std::format("{} is {}", arguments.folder,
                            exists ? "not a folder" : "not there; name a folder to serve"));
  }
  handlers::FilesOptions handler;
  handler.root = arguments.folder;
  handler.browse = arguments.browse;
  if (arguments.spa) handler.fallback = "/index.html";
  auto options = one_site(arguments.listen, std::move(handler), arguments.quiet);
  if (!options) return fail(options.error());
  const auto announce = [&] {
    for (const std::string& url : browser_urls(options->listeners.front())) {
      std::println(stderr, "serving {} on {}", arguments.folder, url);
    }
  };
  return server::run([&] { return *options; }, announce);
}

}  // namespace cli
