// Names to addresses, for one worker, without ever blocking it (c-ares on the worker's loop).
//
// A and AAAA are asked for together; where one of them isn't answered within kFamilyWait the other
// is used without it (RFC 8305 3) until both are known. /etc/hosts and localhost count; answers are
// kept for their TTL within the bounds of the options. Everybody who asks for a name that is being
// asked for waits for the one answer. What has been known once is never lost: when asking again
// fails, or takes longer than kStaleWait, the last good addresses stay in use (P14). A failure is
// remembered for ttl_min. /etc/resolv.conf is read again when it changes. IP literals and unix
// sockets don't come here. Query ids and ports are c-ares's random ones; RFC 8305 3 for the order
// of families is the connector's.
#pragma once

#include <coroutine>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/address.h"
#include "base/hash.h"
#include "base/task.h"
#include "io/loop.h"
#include "io/timer.h"
#include "upstream/options.h"

namespace upstream {

// Without ports; in the order of RFC 6724. Not empty.
using Addresses = std::vector<base::Address>;

// What the system's configuration says, or a test instead of it.
struct ResolverSettings {
  std::string servers;     // "127.0.0.1:5300", comma-separated; empty: the system's
  bool tcp = false;        // ask over TCP
  std::string hosts_file;  // empty: the system's
};

class Resolver {
 public:
  static constexpr io::Duration kStaleWait = std::chrono::milliseconds(200);
  static constexpr io::Duration kFamilyWait = std::chrono::milliseconds(100);
  // Of one name; more only costs memory.
  static constexpr std::size_t kAddressesMax = 64;
  // Names come from the configuration, so this is beyond what anybody has: it bounds what reloads
  // may leave behind.
  static constexpr std::size_t kNamesMax = 16'384;

  explicit Resolver(io::Loop& loop, ResolverSettings settings = {});
  ~Resolver();  // nobody may be waiting
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  using Answer = std::expected<std::shared_ptr<const Addresses>, std::string>;
  // The error is a sentence for the log.
  base::Task<Answer> resolve(std::string_view host, const ResolveOptions& options);

  std::uint64_t queries() const { return queries_; }

 private:
  class Channel;
  struct Waiter;
  struct Entry;

  Entry& entry_of(std::string_view host);
  void evict();
  void ask(Entry& entry, const ResolveOptions& options);
  void answered(Entry& entry, Answer answer, io::Duration ttl);
  void family_answered(Entry& entry, const Addresses& addresses, io::Duration ttl);
  void settle(Entry& entry);
  void wake();
  static void on_entry_timer(void* entry);

  io::Loop& loop_;
  std::unique_ptr<Channel> channel_;
  base::StringMap<std::unique_ptr<Entry>> entries_;
  // Waiters are resumed in the deferred phase, never from within c-ares or a timer's caller.
  std::vector<Entry*> settled_;
  io::Deferred wake_;
  std::uint64_t queries_ = 0;
};

}  // namespace upstream
