#include "upstream/resolver.h"

#include <ares.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <utility>

#include "io/file.h"

namespace upstream {

namespace {

constexpr char kSystemConfiguration[] = "/etc/resolv.conf";
constexpr io::Duration kConfigurationCheck = std::chrono::seconds(5);

io::Duration clamp_ttl(int seconds, const ResolveOptions& options) {
  io::Duration ttl = std::chrono::seconds(std::max(seconds, 0));
  return std::max(std::min(ttl, io::Duration(options.ttl_max)), io::Duration(options.ttl_min));
}

}  // namespace

// One coroutine that waits for an entry to settle; lives in its frame.
struct Resolver::Waiter {
  explicit Waiter(Entry& awaited) : entry(awaited) {}
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() { unlink(); }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> awaiter);
  void await_resume() {}
  void unlink() {
    if (next == nullptr) return;
    next->previous = previous;
    previous->next = next;
    next = previous = nullptr;
  }

  Entry& entry;
  std::coroutine_handle<> handle;
  Waiter* next = nullptr;
  Waiter* previous = nullptr;
};

struct Resolver::Entry {
  Entry(Resolver& owner, std::string_view name)
      : resolver(owner), host(name), timer(owner.loop_, &on_entry_timer, this), waiters(*this) {
    waiters.next = waiters.previous = &waiters;
  }
  ~Entry() { waiters.next = nullptr; }
  bool awaited() const { return waiters.next != &waiters; }

  Resolver& resolver;
  std::string host;
  std::shared_ptr<const Addresses> good;  // the last that was known
  std::string error;                      // of the last time that nothing was
  io::Time expires{};                     // of `good`
  io::Time retry_at{};                    // after a failure
  io::Time overdue_at{};                  // of the query in progress
  bool asking = false;
  bool overdue = false;      // nobody waits for the query in progress any longer
  bool settled = false;      // in settled_
  bool split = false;        // the families were asked for on their own, too
  bool partial = false;      // `good` is what came of that
  std::uint8_t queries = 0;  // in progress, also those that nothing depends on any more
  ResolveOptions options;
  io::Timer timer;  // until the query is overdue
  Waiter waiters;   // sentinel of a circular list
};

void Resolver::Waiter::await_suspend(std::coroutine_handle<> awaiter) {
  handle = awaiter;
  previous = entry.waiters.previous;
  next = &entry.waiters;
  previous->next = this;
  next->previous = this;
}

// c-ares on the worker's loop. Made anew when the system's configuration has changed.
class Resolver::Channel {
 public:
  Channel(Resolver& owner, ResolverSettings settings)
      : owner_(owner), settings_(std::move(settings)), timer_(owner.loop_, &on_timer, this) {}
  ~Channel() { close(); }

  void ask(Entry& entry) {
    if (in_progress_ == 0) reopen_if_changed();
    if (channel_ == nullptr && !open()) {
      owner_.answered(entry, std::unexpected("the resolver can't be set up"), {});
      return;
    }
    query(entry, AF_UNSPEC, &on_answer);
    set_timer();
  }
  // What c-ares keeps to itself until it has both. Not at once, for what /etc/hosts says of one
  // family alone must hold for both.
  void ask_families(Entry& entry) {
    query(entry, AF_INET6, &on_family);
    query(entry, AF_INET, &on_family);
    set_timer();
  }

 private:
  // A socket of c-ares's.
  struct Socket final : io::EventSource, io::Disposable {
    Socket(Channel& owner, int number) : channel(owner), descriptor(number) {}
    void on_events(uint32_t events) override { channel.process(descriptor, events); }
    Channel& channel;
    int descriptor;
  };

  void query(Entry& entry, int family, ares_addrinfo_callback callback) {
    ++in_progress_;
    ++entry.queries;
    ares_addrinfo_hints hints{};
    hints.ai_family = family;
    hints.ai_socktype = SOCK_STREAM;
    ares_getaddrinfo(channel_, entry.host.c_str(), nullptr, &hints, callback, &entry);
  }

  bool open() {
    ares_options options{};
    // Our own cache has the bounds that are configured; two would add up.
    options.qcache_max_ttl = 0;
    options.sock_state_cb = &on_socket;
    options.sock_state_cb_data = this;
    int mask = ARES_OPT_QUERY_CACHE | ARES_OPT_SOCK_STATE_CB;
    if (settings_.tcp) {
      options.flags = ARES_FLAG_USEVC | ARES_FLAG_EDNS;
      mask |= ARES_OPT_FLAGS;
    }
    if (!settings_.hosts_file.empty()) {
      options.hosts_path = settings_.hosts_file.data();
      mask |= ARES_OPT_HOSTS_FILE;
    }
    if (ares_init_options(&channel_, &options, mask) != ARES_SUCCESS) {
      channel_ = nullptr;
      return false;
    }
    if (!settings_.servers.empty()) {
      ares_set_servers_ports_csv(channel_, settings_.servers.c_str());
    }
    return true;
  }

  void close() {
    if (channel_ != nullptr) ares_destroy(std::exchange(channel_, nullptr));
    timer_.cancel();
  }

  void reopen_if_changed() {
    const io::Time now = owner_.loop_.now();
    if (!settings_.servers.empty() || now < next_check_) return;
    next_check_ = now + kConfigurationCheck;
    auto status = io::file_status(kSystemConfiguration);
    std::optional<io::FileStatus> found;
    if (status) found = *status;
    if (channel_ != nullptr && found != configuration_) close();
    configuration_ = found;
  }

  void process(int descriptor, uint32_t events) {
    if (channel_ == nullptr) return;
    ares_fd_events_t event{descriptor, 0};
    if ((events & ~io::kWritable) != 0) event.events |= ARES_FD_EVENT_READ;
    if ((events & io::kWritable) != 0) event.events |= ARES_FD_EVENT_WRITE;
    ares_process_fds(channel_, &event, 1, ARES_PROCESS_FLAG_NONE);
    set_timer();
  }

  void set_timer() {
    if (channel_ == nullptr) return;
    timeval room{};
    const timeval* next = ares_timeout(channel_, nullptr, &room);
    if (next == nullptr) return timer_.cancel();
    timer_.set_after(std::chrono::seconds(next->tv_sec) + std::chrono::microseconds(next->tv_usec));
  }

  static void on_timer(void* self) {
    auto& channel = *static_cast<Channel*>(self);
    ares_process_fds(channel.channel_, nullptr, 0, ARES_PROCESS_FLAG_NONE);
    channel.set_timer();
  }

  static void on_socket(void* self, ares_socket_t descriptor, int readable, int writable) {
    auto& channel = *static_cast<Channel*>(self);
    auto found = std::ranges::find(channel.sockets_, descriptor,
                                   [](const auto& socket) { return socket->descriptor; });
    if (readable == 0 && writable == 0) {
      if (found == channel.sockets_.end()) return;
      channel.owner_.loop_.unwatch(descriptor, **found);
      // Perhaps from within its own on_events.
      channel.owner_.loop_.dispose(std::move(*found));
      channel.sockets_.erase(found);
    } else if (found == channel.sockets_.end()) {
      channel.sockets_.push_back(std::make_unique<Socket>(channel, descriptor));
      channel.owner_.loop_.watch(descriptor, *channel.sockets_.back(),
                                 io::kReadable | io::kWritable);
    }
  }

  static void on_answer(void* argument, int status, int, ares_addrinfo* answer) {
    if (status == ARES_EDESTRUCTION) return;
    auto& entry = *static_cast<Entry*>(argument);
    auto [addresses, ttl] = take(entry, answer);
    if (!addresses.empty()) {
      entry.resolver.answered(entry, std::make_shared<Addresses>(std::move(addresses)), ttl);
    } else {
      std::string text = status == ARES_SUCCESS ? "no addresses" : ares_strerror(status);
      entry.resolver.answered(entry, std::unexpected(entry.host + ": " + text), {});
    }
  }

  static void on_family(void* argument, int status, int, ares_addrinfo* answer) {
    if (status == ARES_EDESTRUCTION) return;
    auto& entry = *static_cast<Entry*>(argument);
    const auto [addresses, ttl] = take(entry, answer);
    if (!addresses.empty()) entry.resolver.family_answered(entry, addresses, ttl);
  }

  static std::pair<Addresses, io::Duration> take(Entry& entry, ares_addrinfo* answer) {
    --entry.resolver.channel_->in_progress_;
    --entry.queries;
    Addresses addresses;
    int ttl = INT_MAX;
    if (answer != nullptr) {
      for (const ares_addrinfo_node* node = answer->nodes; node != nullptr; node = node->ai_next) {
        auto address = base::Address::from_sockaddr(node->ai_addr, node->ai_addrlen);
        if (!address || addresses.size() == kAddressesMax) continue;
        addresses.push_back(*address);
        ttl = std::min(ttl, node->ai_ttl);
      }
      ares_freeaddrinfo(answer);
    }
    return {std::move(addresses), clamp_ttl(ttl, entry.options)};
  }

  Resolver& owner_;
  ResolverSettings settings_;
  ares_channel_t* channel_ = nullptr;
  std::vector<std::unique_ptr<Socket>> sockets_;
  std::size_t in_progress_ = 0;
  std::optional<io::FileStatus> configuration_;
  io::Time next_check_{};
  io::Timer timer_;
};

Resolver::Resolver(io::Loop& loop, ResolverSettings settings)
    : loop_(loop),
      channel_(std::make_unique<Channel>(*this, std::move(settings))),
      wake_([](void* self) { static_cast<Resolver*>(self)->wake(); }, this) {}

// The channel first: its end calls back into entries.
Resolver::~Resolver() { channel_.reset(); }

Resolver::Entry& Resolver::entry_of(std::string_view host) {
  auto found = entries_.find(host);
  if (found != entries_.end()) return *found->second;
  if (entries_.size() >= kNamesMax) evict();
  auto entry = std::make_unique<Entry>(*this, host);
  return *entries_.emplace(std::string(host), std::move(entry)).first->second;
}

// Only what nobody waits for and no callback will touch.
void Resolver::evict() {
  std::erase_if(entries_, [now = loop_.now()](const auto& item) {
    const Entry& entry = *item.second;
    return entry.queries == 0 && !entry.settled && !entry.awaited() && now >= entry.expires;
  });
}

base::Task<Resolver::Answer> Resolver::resolve(std::string_view host,
                                               const ResolveOptions& options) {
  Entry& entry = entry_of(host);
  const io::Time now = loop_.now();
  if (entry.good == nullptr || now >= entry.expires) {
    if (!entry.asking && now >= entry.retry_at) ask(entry, options);
    if ((entry.asking && !entry.overdue) || entry.settled) {
      Waiter waiter(entry);
      co_await waiter;
    }
  }
  if (entry.good != nullptr) co_return entry.good;
  co_return std::unexpected(entry.error);
}

void Resolver::ask(Entry& entry, const ResolveOptions& options) {
  ++queries_;
  entry.asking = true;
  entry.overdue = entry.split = entry.partial = false;
  entry.options = options;
  entry.error = entry.host + ": no answer in time";
  const io::Duration timeout = options.timeout;
  entry.overdue_at =
      loop_.now() + (entry.good != nullptr ? std::min(kStaleWait, timeout) : timeout);
  entry.timer.set(std::min(entry.overdue_at, loop_.now() + kFamilyWait));
  channel_->ask(entry);
}

void Resolver::answered(Entry& entry, Answer answer, io::Duration ttl) {
  const io::Time now = loop_.now();
  entry.asking = false;
  entry.timer.cancel();
  if (answer) {
    entry.good = std::move(*answer);
    entry.expires = now + ttl;
    entry.retry_at = {};
  } else {
    entry.error = std::move(answer.error());
    entry.retry_at = now + entry.options.ttl_min;
  }
  settle(entry);
}

// The first of them is what those who wait get; what comes for both takes its place.
void Resolver::family_answered(Entry& entry, const Addresses& addresses, io::Duration ttl) {
  if (!entry.asking || !entry.split) return;
  const io::Time expires = loop_.now() + ttl;
  auto known = std::make_shared<Addresses>(addresses);
  if (entry.partial) {
    known->insert(known->begin(), entry.good->begin(), entry.good->end());
    entry.expires = std::min(entry.expires, expires);
  } else {
    entry.expires = expires;
  }
  entry.good = std::move(known);
  entry.partial = entry.overdue = true;
  entry.timer.cancel();
  settle(entry);
}

void Resolver::on_entry_timer(void* argument) {
  auto& entry = *static_cast<Entry*>(argument);
  Resolver& resolver = entry.resolver;
  if (!entry.split && resolver.loop_.now() < entry.overdue_at) {
    entry.split = true;
    entry.timer.set(entry.overdue_at);
    return resolver.channel_->ask_families(entry);
  }
  entry.overdue = true;
  entry.resolver.settle(entry);
}

void Resolver::settle(Entry& entry) {
  if (!entry.awaited() || entry.settled) return;
  entry.settled = true;
  settled_.push_back(&entry);
  loop_.defer(wake_);
}

void Resolver::wake() {
  // Resumed coroutines may ask again and settle more.
  while (!settled_.empty()) {
    Entry& entry = *settled_.back();
    settled_.pop_back();
    entry.settled = false;
    // Who begins to wait from here on waits for another answer.
    Waiter ready(entry);
    if (entry.awaited()) {
      ready.next = entry.waiters.next;
      ready.previous = entry.waiters.previous;
      ready.next->previous = ready.previous->next = &ready;
      entry.waiters.next = entry.waiters.previous = &entry.waiters;
    }
    while (ready.next != nullptr && ready.next != &ready) {
      Waiter& waiter = *ready.next;
      waiter.unlink();
      waiter.handle.resume();
    }
    ready.next = nullptr;
  }
}

}  // namespace upstream
