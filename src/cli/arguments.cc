#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <format>
#include <functional>
#include <print>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"

namespace cli {
namespace {

constexpr int kUsageError = 2;

// What to do once the whole line is good.
using Action = std::function<int()>;

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples, Action& action, Action command) {
  CLI::App& added = *app.add_subcommand(name, description);
  added.footer("Examples:\n" + examples);
  added.callback([&action, command = std::move(command)] { action = command; });
  return added;
}

void add_file(CLI::App& app, std::string& file) {
  app.add_option("-c,--config", file,
                 "Configuration file (default: ./webship.yaml, else /etc/webship/webship.yaml)")
      ->type_name("FILE");
}

void add_run(CLI::App& app, std::string& file, bool& test, Action& action) {
  CLI::App& run =
      add_command(app, "run", "Serve what a configuration file says",
                  "  webship run\n"
                  "  webship run -c site.yaml",
                  action, [&] { return test ? cli::check(file, true) : cli::run(file); });
  add_file(run, file);
  run.add_flag("-t,--test", test, "Only check the file");
}

void add_check(CLI::App& app, std::string& file, bool& no_files, Action& action) {
  CLI::App& check = add_command(
      app, "check", "Check a configuration file: every error, or what would listen where",
      "  webship check\n"
      "  webship check -c site.yaml\n"
      "  webship check --no-files -c site.yaml\n"
      "  webship -t",
      action, [&] { return cli::check(file, !no_files); });
  check.alias("test");
  add_file(check, file);
  check.add_flag("--no-files", no_files,
                 "Don't look at certificates and folders: they are on another machine");
}

void add_files(CLI::App& app, FilesArguments& files, Action& action) {
  CLI::App& command = add_command(app, "files", "Serve a folder, without a configuration file",
                                  "  webship files\n"
                                  "  webship files public --listen :3000\n"
                                  "  webship files ~/Downloads --browse --listen 127.0.0.1:8080\n"
                                  "  webship files dist --spa",
                                  action, [&] { return cli::files(files); });
  command.add_option("folder", files.folder, "The folder")->type_name("DIR")->capture_default_str();
  command.add_option("-l,--listen", files.listen, "Address to listen on; may be repeated")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_flag("-b,--browse", files.browse, "List folders that have no index.html");
  command.add_flag("--spa", files.spa, "Serve /index.html where nothing is (single-page apps)");
  command.add_flag("-q,--quiet", files.quiet, "No access log");
}

void add_proxy(CLI::App& app, ProxyArguments& proxy, Action& action) {
  CLI::App& command =
      add_command(app, "proxy", "Pass requests to another server, without a configuration file",
                  "  webship proxy --to localhost:3000\n"
                  "  webship proxy --from :8443 --tls cert.pem key.pem --to localhost:3000\n"
                  "  webship proxy --to 10.0.0.1:80 --to 10.0.0.2:80\n"
                  "  webship proxy --to https://example.com --change-host\n"
                  "  webship proxy --to unix:/run/app.sock",
                  action, [&] { return cli::proxy(proxy); });
  command.add_option("-f,--from", proxy.from, "Address to listen on; may be repeated")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("-t,--to", proxy.to, "Where requests go; several share them")
      ->type_name("URL")
      ->required();
  command.add_option("--tls", proxy.tls, "Listen with TLS: certificate and key, PEM files")
      ->type_name("CERT KEY")
      ->expected(2);
  command.add_flag("--change-host", proxy.change_host, "Send the origin's own name as Host");
  command.add_flag("--insecure", proxy.insecure, "Don't verify the certificate of https origins");
  command.add_flag("-q,--quiet", proxy.quiet, "No access log");
}

void add_schema(CLI::App& app, bool& reference, Action& action) {
  CLI::App& schema = add_command(
      app, "schema", "Print the JSON Schema of configuration files, for editors",
      "  webship schema > webship.schema.json\n"
      "  webship schema --reference",
      action, [&] {
        return cli::schema(reference ? SchemaFormat::kReference : SchemaFormat::kJsonSchema);
      });
  schema.add_flag("--reference", reference, "All keys as Markdown instead");
}

// What is wrong with the line, and which help has the rest. CLI11's own words do where somebody who
// knows other servers wouldn't type it.
void explain(const CLI::App& app, const CLI::ParseError& error) {
  const auto commands = app.get_subcommands();
  const std::string command = commands.empty() ? "" : commands.front()->get_name();
  const std::vector<std::string> left = app.remaining(true);
  const std::string word = left.empty() || left.front().starts_with('-') ? "" : left.front();
  const std::string name = "webship" + (command.empty() ? "" : " " + command);
  if (!word.empty() && command.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view meant = base::closest(word, candidates);
    std::println(stderr, "webship: there is no command `{}`{}", word,
                 meant.empty() ? "" : std::format("; did you mean `webship {}`?", meant));
  } else if (!word.empty() && (command == "run" || command == "check")) {
    std::println(stderr, "webship: a file is named with -c: `{} -c {}`", name, word);
  } else if (!left.empty()) {
    std::println(stderr, "webship: `{}` doesn't know what `{}` means", name, left.front());
  } else {
    std::println(stderr, "webship: {}", error.what());
  }
  std::println(stderr, "Run `{} --help` for what can be typed.", name);
}

}  // namespace

int execute(int count, char** arguments) {
  CLI::App app("Webship: a web server and reverse proxy", "webship");
  app.footer(
      "Examples:\n"
      "  webship files --browse\n"
      "  webship proxy --to localhost:3000\n"
      "  webship check -c site.yaml && webship run -c site.yaml\n\n"
      "`webship COMMAND --help` tells more of a command.");
  app.require_subcommand(0, 1);
  app.get_formatter()->column_width(34);
  Action action;
  std::string file;
  bool test = false;
  bool no_files = false;
  bool show_version = false;
  bool reference = false;
  FilesArguments files;
  ProxyArguments proxy;
  add_run(app, file, test, action);
  add_check(app, file, no_files, action);
  add_files(app, files, action);
  add_proxy(app, proxy, action);
  add_schema(app, reference, action);
  add_command(app, "version", "Print the version, and how it was built", "  webship version",
              action, [] { return cli::version(); });
  app.add_flag("-t", test, "The same as check, as others have it");
  add_file(app, file);
  app.add_flag("-V,--version", show_version, "The same as version");

  try {
    app.parse(count, arguments);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    explain(app, error);
    return kUsageError;
  }
  if (action) return action();
  if (show_version) return cli::version();
  if (test) return cli::check(file, true);
  if (!file.empty()) {
    std::println(stderr, "webship: what to do with {}? Type `webship run -c {}`, or `check`", file,
                 file);
    return kUsageError;
  }
  std::print(stderr, "{}", app.help());
  return kUsageError;
}

}  // namespace cli
