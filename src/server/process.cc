#include "server/process.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <format>
#include <mutex>
#include <utility>

#include "io/cpu.h"
#include "io/privileges.h"
#include "io/signals.h"
#include "server/diagnostics.h"
#include "server/prepare.h"

namespace server {

namespace {

// How often certificate files are looked at, and ticket keys may rotate.
constexpr std::chrono::seconds kCertificateInterval{10};
// Connections, files and origins of a large server; what the system allows may be less.
constexpr uint64_t kDescriptorsWanted = 1 << 20;

size_t worker_count(const Options& options) {
  return options.workers > 0 ? options.workers : io::usable_processors();
}

// Whether the access log is the same file, or off, in both.
bool opens_same(const Options& one, const Options& other) {
  const auto off = [](const Options& o) {
    return o.access_log.format == AccessLogOptions::Format::kOff;
  };
  return off(one) == off(other) && (off(one) || one.access_log.to == other.access_log.to);
}

}  // namespace

int run(const Load& load, const std::function<void()>& ready) { return Process(load).run(ready); }

Process::~Process() {
  for (auto& worker : workers_) worker->stop();
  for (auto& worker : workers_) worker->join();
}

int Process::run(const std::function<void()>& ready) {
  auto options = load_();
  if (!options) {
    std::fputs(options.error().c_str(), stderr);
    return 1;
  }
  if (auto started = start(std::move(*options)); !started) {
    std::fprintf(stderr, "webship: %s\n", started.error().c_str());
    return 1;
  }
  if (ready) ready();
  loop_.run();
  for (auto& worker : workers_) worker->join();
  log(LogLevel::kInfo, "stopped");
  access_log_.reset();
  close_diagnostics();
  return 0;
}

std::expected<void, std::string> Process::start(Options options) {
  io::Signals::block();
  signals_ = std::make_unique<io::Signals>(loop_, *this);
  io::raise_descriptor_limit(kDescriptorsWanted);
  if (auto opened = open_sockets(options); !opened) return opened;
  const bool root = io::is_root();
  if (root) {
    if (auto dropped = drop_privileges(options); !dropped) return dropped;
  }
  if (auto opened = open_diagnostics(options.diagnostics_log); !opened) return opened;
  if (!root && !options.user.empty()) {
    log(LogLevel::kWarning, "`user` has no effect: webship was not started as root");
  }
  shared_ = std::make_unique<WorkerShared>(loop_.unix_time());
  size_t count = worker_count(options);
  for (size_t i = 0; i < count; ++i) {
    workers_.push_back(std::make_unique<Worker>(i, *shared_));
    shared_->state.workers.push_back(&workers_.back()->metrics());
  }
  if (auto applied = apply(std::move(options)); !applied) return applied;
  announce();
  certificates_timer_ = std::make_unique<io::Timer>(
      loop_, [](void* self) { static_cast<Process*>(self)->refresh_certificates(); }, this);
  certificates_timer_->set_after(kCertificateInterval);
  return {};
}

std::expected<void, std::string> Process::drop_privileges(const Options& options) {
  auto identity = io::find_identity(options.user.empty() ? "webship" : options.user, "");
  if (!identity && options.user.empty()) identity = io::find_identity("nobody", "");
  if (!identity) return std::unexpected("`user`: " + identity.error().text());
  if (auto became = io::become(*identity); !became) {
    return std::unexpected("can't become " + identity->user + ": " + became.error().text());
  }
  return {};
}

std::expected<void, std::string> Process::open_sockets(const Options& options) {
  // A reload changes nothing in how many there are.
  size_t workers = workers_.empty() ? worker_count(options) : workers_.size();
  for (const ListenerOptions& listener : options.listeners) {
    for (const base::Address& address : listener.addresses) {
      if (auto opened = sockets_.open(address, workers); !opened) {
        return std::unexpected(opened.error());
      }
    }
  }
  if (options.admin.address) {
    if (auto opened = sockets_.open(*options.admin.address, 1); !opened) {
      return std::unexpected(opened.error() +
                             " (the admin address; set `admin: {address: off}` "
                             "or another)");
    }
  }
  return {};
}

std::expected<std::unique_ptr<LogQueue>, std::string> Process::open_access_log(
    const AccessLogOptions& options) {
  if (options.format == AccessLogOptions::Format::kOff) return nullptr;
  auto writer = io::FileWriter::open(target_of(options.to));
  if (!writer) return std::unexpected(cant_open("access log", options.to, writer.error()));
  return std::make_unique<LogQueue>(std::move(*writer), shared_->state.log_lines_dropped);
}

// What can fail comes first, and leaves nothing behind when it does.
std::expected<void, std::string> Process::apply(Options options) {
  auto snapshot = prepare_snapshot(std::move(options), snapshot_.get(), *shared_,
                                   [this](const std::string& name) { return listener_id(name); });
  if (!snapshot) return std::unexpected(snapshot.error());
  const Options& wanted = (*snapshot)->options;
  std::unique_ptr<LogQueue> access_log;
  const bool same_access_log = snapshot_ != nullptr && opens_same(snapshot_->options, wanted);
  if (!same_access_log) {
    auto opened = open_access_log(wanted.access_log);
    if (!opened) return std::unexpected(opened.error());
    access_log = std::move(*opened);
  }
  auto opened = open_sockets(wanted);
  if (opened && snapshot_ != nullptr &&
      wanted.diagnostics_log != snapshot_->options.diagnostics_log) {
    opened = open_diagnostics(wanted.diagnostics_log);
  }
  if (!opened) {
    if (snapshot_ != nullptr) keep_sockets(snapshot_->options);  // not what just opened
    return opened;
  }
  if (!same_access_log) {
    access_log.swap(access_log_);  // the old one until no worker writes to it any more
    producers_.assign(workers_.size(), nullptr);
    for (auto& producer : producers_) {
      if (access_log_ != nullptr) producer = &access_log_->add_producer();
    }
  }
  install(*snapshot);
  return {};
}

void Process::install(std::shared_ptr<const Snapshot> snapshot) {
  if (snapshot_ != nullptr) snapshot->upstreams->retire(*snapshot_->upstreams);
  wait_for_workers([&](Worker& worker, std::function<void()> done) {
    worker.install(snapshot, producers_[worker.index()], std::move(done));
  });
  snapshot_ = std::move(snapshot);
  update_listening();
  shared_->state.set_certificates(certificates_of(*snapshot_));
}

// Has every worker do something, and waits until all have: a turn of each worker's loop.
void Process::wait_for_workers(const std::function<void(Worker&, std::function<void()>)>& ask) {
  std::mutex mutex;
  std::condition_variable changed;
  size_t left = workers_.size();
  for (auto& worker : workers_) {
    ask(*worker, [&] {
      std::lock_guard lock(mutex);
      if (--left == 0) changed.notify_one();
    });
    worker->start();  // the first time
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return left == 0; });
}

void Process::update_listening() {
  std::map<uint32_t, std::vector<base::Address>> wanted;
  for (const auto& listener : snapshot_->listeners) {
    wanted[listener->id] = listener->options.addresses;
  }
  for (auto& [id, addresses] : listening_) {
    auto found = wanted.find(id);
    if (found != wanted.end() && found->second == addresses) continue;
    wait_for_workers([id](Worker& worker, std::function<void()> done) {
      worker.stop_listening(id, std::move(done));
    });
    addresses.clear();
  }
  for (const auto& listener : snapshot_->listeners) {
    auto& current = listening_[listener->id];
    if (!current.empty() && current == wanted[listener->id]) continue;
    for (const base::Address& address : listener->options.addresses) listen(listener, address);
    current = wanted[listener->id];
  }
  std::erase_if(listening_, [](const auto& entry) { return entry.second.empty(); });
  keep_sockets(snapshot_->options);
}

void Process::listen(const std::shared_ptr<const Listener>& listener,
                     const base::Address& address) {
  const size_t workers = listener->admin ? 1 : workers_.size();
  auto opened = sockets_.open(address, workers);  // open already
  if (!opened) return;
  const auto& descriptors = (*opened)->descriptors;
  const bool shared = descriptors.size() < workers;
  // Each socket has a worker, also where the admin pages have got an address that was a listener's:
  // the kernel gives connections to all of them.
  for (size_t i = 0; i < std::max(workers, descriptors.size()); ++i) {
    workers_[i % workers]->listen(listener, descriptors[i % descriptors.size()], shared);
  }
}

void Process::keep_sockets(const Options& options) {
  std::vector<base::Address> addresses;
  for (const ListenerOptions& listener : options.listeners) {
    addresses.insert(addresses.end(), listener.addresses.begin(), listener.addresses.end());
  }
  if (options.admin.address) addresses.push_back(*options.admin.address);
  sockets_.keep_only(addresses);
}

uint32_t Process::listener_id(const std::string& name) {
  return listener_ids_.try_emplace(name, static_cast<uint32_t>(listener_ids_.size())).first->second;
}

void Process::announce() {
  for (const auto& listener : snapshot_->listeners) {
    for (const base::Address& address : listener->options.addresses) {
      auto opened = sockets_.open(address, workers_.size());
      if (!opened) continue;
      log(LogLevel::kInfo, std::string("listening on ") + (*opened)->address.to_string() + " (" +
                               listener->options.name + (listener->tls ? ", TLS)" : ")"));
    }
  }
  const char* plural = workers_.size() == 1 ? "" : "s";
  log(LogLevel::kInfo, "ready: " + std::to_string(workers_.size()) + " worker" + plural);
}

void Process::on_signal(int signal) {
  switch (signal) {
    case SIGHUP:
      return reload();
    case SIGUSR1:
      if (access_log_ != nullptr) access_log_->reopen();
      reopen_diagnostics();
      return;
    default:
      if (std::exchange(draining_, true)) {
        log(LogLevel::kWarning, "second signal: ending at once");
        for (auto& worker : workers_) worker->stop();
        loop_.stop();
        return;
      }
      return drain();
  }
}

void Process::reload() {
  if (draining_) return;
  auto options = load_();
  std::expected<void, std::string> applied;
  if (!options) {
    applied = std::unexpected(options.error());
  } else {
    const size_t workers = worker_count(*options);
    const bool other_user = options->user != snapshot_->options.user;
    applied = apply(std::move(*options));
    if (applied && workers != workers_.size()) {
      log(LogLevel::kWarning, std::format("`workers`: {} takes effect at the next start; until "
                                          "then there are {}",
                                          workers, workers_.size()));
    }
    if (applied && other_user) {
      log(LogLevel::kWarning, "`user` takes effect at the next start");
    }
  }
  if (applied) {
    ++shared_->state.reloads;
    log(LogLevel::kInfo, "reloaded");
  } else {
    ++shared_->state.reloads_failed;
    log(LogLevel::kError, "reload failed, the old configuration goes on: " + applied.error());
  }
}

void Process::drain() {
  shared_->state.draining = true;
  // No worker accepts any more, then nobody can connect: whoever balances over us sees it at once.
  for (const auto& listener : snapshot_->listeners) {
    wait_for_workers([id = listener->id](Worker& worker, std::function<void()> done) {
      worker.stop_listening(id, std::move(done));
    });
  }
  sockets_.keep_only({});
  log(LogLevel::kInfo, "draining: a second signal ends at once");
  for (auto& worker : workers_) {
    worker->drain(snapshot_->options.limits.drain_timeout, [this] {
      loop_.post([this] {
        if (++drained_ == workers_.size()) loop_.stop();
      });
    });
  }
}

void Process::refresh_certificates() {
  certificates_timer_->set_after(kCertificateInterval);
  shared_->maintain_tickets(*snapshot_, loop_.unix_time());
  if (draining_ || !certificates_changed(*snapshot_)) return;
  auto applied = apply(snapshot_->options);
  log(applied ? LogLevel::kInfo : LogLevel::kError,
      applied ? "certificates reloaded"
              : "changed certificates can't be loaded, the old ones go on: " + applied.error());
}

}  // namespace server
