#include "server/prepare.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <format>
#include <utility>

#include "handlers/basic_auth.h"
#include "handlers/error_pages.h"
#include "handlers/password.h"
#include "io/file.h"
#include "io/privileges.h"
#include "server/diagnostics.h"
#include "tls/context.h"

namespace server {

namespace {

constexpr const char* kAdminName = "admin";
// Of the admin pages, which don't count among those of `limits`: they must answer when those are
// reached. A local user could otherwise take every descriptor.
constexpr uint32_t kAdminConnectionsMax = 256;
constexpr std::string_view kCleartextAnswer =
    "HTTP/1.1 400 Bad Request\r\nServer: webship\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 69\r\nConnection: close\r\n\r\n"
    "400 Bad Request\nThis port speaks HTTPS; use an https:// address here\n";

using Status = std::expected<void, std::string>;

int64_t unix_now() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

// `what` and its path, why not, and what to type where rights are in the way.
std::unexpected<std::string> unusable(std::string_view what, const std::string& path,
                                      std::string_view why) {
  std::string advice = io::access_advice(path);
  return std::unexpected(
      std::format("{} {}: {}{}{}", what, path, why, advice.empty() ? "" : "; type: ", advice));
}

Status check_directory(const std::string& path, std::string_view what) {
  auto status = io::file_status(path);
  if (!status && status.error().code == ENOENT) {
    return std::unexpected(std::format("{} {} is not there; make it, or name another", what, path));
  }
  if (!status) return unusable(what, path, status.error().text());
  if (!io::access_advice(path).empty()) return unusable(what, path, "Permission denied");
  if (!status->directory) {
    return std::unexpected(std::string(what) + " " + path + " is not a directory");
  }
  return {};
}

// What handlers and filters need of the file system is there, and what filters are made of is read.
struct CheckFiles {
  handlers::FileTexts& texts;

  Status operator()(const handlers::FilesOptions& files) const {
    return check_directory(files.root, "the root of `files`");
  }
  Status operator()(const handlers::ErrorPagesOptions& pages) const {
    if (auto checked = check_directory(pages.root, "the root of `error_pages`"); !checked) {
      return checked;
    }
    for (const handlers::ErrorPage& page : pages.pages) {
      const std::string path = handlers::ErrorPages::file_of(pages, page);
      auto text = texts.read(path, handlers::ErrorPages::kPageSizeMax);
      if (!text) return unusable("the error page", path, text.error().text());
    }
    return {};
  }
  Status operator()(const handlers::BasicAuthOptions& auth) const {
    if (auth.file.empty()) return {};
    auto text = texts.read(auth.file, handlers::BasicAuth::kFileSizeMax);
    if (!text) {
      return unusable("the users' file", auth.file, text.error().text());
    }
    auto users = handlers::parse_htpasswd(**text);
    if (!users) return std::unexpected("the users' file " + auth.file + ", " + users.error());
    return {};
  }
  Status operator()(const auto&) const { return {}; }
};

Status check_files(const Options& options, handlers::FileTexts& texts) {
  auto check_filters = [&texts](const std::vector<FilterOptions>& filters) -> Status {
    for (const FilterOptions& filter : filters) {
      if (auto checked = std::visit(CheckFiles{texts}, filter); !checked) return checked;
    }
    return {};
  };
  for (const SiteOptions& site : options.sites) {
    if (auto checked = check_filters(site.filters); !checked) return checked;
    for (const RouteOptions& route : site.routes) {
      if (auto checked = check_filters(route.filters); !checked) return checked;
      if (auto checked = std::visit(CheckFiles{texts}, route.handler); !checked) return checked;
    }
  }
  return {};
}

tls::ContextOptions context_options(const Options& options, const ListenerOptions& listener) {
  tls::ContextOptions context;
  context.defaults = *listener.tls;
  context.cleartext_answer = kCleartextAnswer;
  for (const SiteOptions& site : options.sites) {
    for (const SiteListener& on : site.listeners) {
      if (on.listener == listener.name && on.tls) context.sites.push_back({site.hosts, *on.tls});
    }
  }
  return context;
}

std::shared_ptr<const Listener> find_listener(const Snapshot* snapshot, uint32_t id) {
  if (snapshot == nullptr) return nullptr;
  for (const auto& listener : snapshot->listeners) {
    if (listener->id == id) return listener;
  }
  return nullptr;
}

std::expected<std::shared_ptr<const Listener>, std::string> make_listener(
    const Options& options, const ListenerOptions& listener, const Listener* previous, uint32_t id,
    WorkerShared& shared) {
  auto made = std::make_shared<Listener>();
  made->id = id;
  made->options = listener;
  made->connections =
      previous == nullptr ? std::make_shared<ConnectionCount>() : previous->connections;
  if (listener.tls) {
    const tls::ServerContext* in_force = previous == nullptr ? nullptr : previous->tls.get();
    tls::ContextOptions wanted = context_options(options, listener);
    if (in_force != nullptr && in_force->options() == wanted && !in_force->files_changed()) {
      made->tls = previous->tls;
      return made;
    }
    auto context =
        tls::ServerContext::create(std::move(wanted), shared.ticket_keys, unix_now(), in_force);
    if (!context) return std::unexpected("listener `" + listener.name + "`: " + context.error());
    for (const std::string& warning : (*context)->warnings()) log(LogLevel::kWarning, warning);
    made->tls = std::move(*context);
  }
  return made;
}

// Of contexts that are new.
void log_warnings(const upstream::Registry& registry, const Snapshot* previous) {
  for (const auto& [name, group] : registry.groups()) {
    if (group->tls() == nullptr) continue;
    const auto before = previous == nullptr ? nullptr : previous->upstreams->find(name);
    if (before != nullptr && before->tls() == group->tls()) continue;
    for (const std::string& warning : group->tls()->warnings()) {
      log(LogLevel::kWarning, "upstream `" + name + "`: " + warning);
    }
  }
}

std::shared_ptr<const Listener> admin_listener(const Options& options, uint32_t id,
                                               const Listener* previous) {
  auto listener = std::make_shared<Listener>();
  listener->id = id;
  listener->admin = true;
  listener->options.name = kAdminName;
  listener->options.addresses = {*options.admin.address};
  listener->options.limits.connections_max = kAdminConnectionsMax;
  listener->connections =
      previous == nullptr ? std::make_shared<ConnectionCount>() : previous->connections;
  return listener;
}

}  // namespace

std::expected<std::shared_ptr<const Snapshot>, std::string> prepare_snapshot(
    Options options, const Snapshot* previous, WorkerShared& shared,
    const std::function<uint32_t(const std::string&)>& listener_id) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->options = std::move(options);
  const Options& own = snapshot->options;
  if (auto checked = check_files(own, snapshot->texts); !checked)
    return std::unexpected(checked.error());
  for (const ListenerOptions& listener : own.listeners) {
    uint32_t id = listener_id(listener.name);
    auto in_force = find_listener(previous, id);
    auto made = make_listener(own, listener, in_force.get(), id, shared);
    if (!made) return std::unexpected(made.error());
    snapshot->listeners.push_back(std::move(*made));
  }
  if (own.admin.address) {
    // No listener of the configuration has this name: names are words.
    uint32_t id = listener_id("(admin)");
    snapshot->listeners.push_back(admin_listener(own, id, find_listener(previous, id).get()));
  }
  auto registry = upstream::Registry::build(
      own.upstreams, previous == nullptr ? nullptr : previous->upstreams.get(), unix_now());
  if (!registry) return std::unexpected(registry.error());
  log_warnings(**registry, previous);
  snapshot->upstreams = std::move(*registry);
  return snapshot;
}

bool certificates_changed(const Snapshot& snapshot) {
  return snapshot.upstreams->files_changed() ||
         std::ranges::any_of(snapshot.listeners, [](const auto& listener) {
           return listener->tls != nullptr && listener->tls->files_changed();
         });
}

std::vector<ProcessState::Certificate> certificates_of(const Snapshot& snapshot) {
  std::vector<ProcessState::Certificate> found;
  for (const auto& listener : snapshot.listeners) {
    if (listener->tls == nullptr) continue;
    for (const auto& certificate : listener->tls->certificates()) {
      found.push_back({certificate->files().certificate, certificate->not_after()});
    }
  }
  std::ranges::sort(found, {}, &ProcessState::Certificate::file);
  auto rest = std::ranges::unique(found, {}, &ProcessState::Certificate::file);
  found.erase(rest.begin(), rest.end());
  return found;
}

}  // namespace server
