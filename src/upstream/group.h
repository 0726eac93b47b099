// A named group of endpoints, as all workers share it.
//
// Its options never change; its members may, one at a time or all at once, while workers balance
// over them: each change publishes a new list under a new version, and a worker compares versions
// with one load per request. Endpoints of the same id are the same objects in every list, in the
// group that a reload makes of this one too, so a change touches nothing but what it names.
// Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/stream.h"
#include "tls/client_context.h"
#include "tls/client_layer.h"
#include "upstream/endpoint.h"
#include "upstream/options.h"

namespace upstream {

struct Member {
  std::shared_ptr<Endpoint> endpoint;
  std::uint32_t weight = 1;  // 0: drains, nothing new goes there
};
using Members = std::vector<Member>;

class Group {
 public:
  // `tls` is set where an endpoint has TLS. Endpoints known to `previous` are taken from it.
  Group(GroupOptions options, std::shared_ptr<const tls::ClientContext> tls, const Group* previous);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const { return options_.name; }
  // `endpoints` in here are those that it was made with: members() says which there are.
  const GroupOptions& options() const { return options_; }

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  std::shared_ptr<const Members> members() const;
  // nullptr: there is none.
  std::shared_ptr<Endpoint> find(std::string_view id) const;

  // Changes at run time, each a copy of the list of members: well under a millisecond for
  // thousands. Adding one that is there sets its weight.
  void add(const EndpointOptions& endpoint);
  bool remove(std::string_view id);
  // 0 drains it: no new requests, tunnels go on.
  bool reweight(std::string_view id, std::uint32_t weight);

  // Whether the members are still those of the options.
  bool unchanged() const { return version() == kFirstVersion; }

  const std::shared_ptr<const tls::ClientContext>& tls() const { return tls_; }
  // The security layer towards an endpoint, or nullptr for cleartext.
  std::unique_ptr<io::StreamLayer> make_layer(const Endpoint& endpoint,
                                              std::shared_ptr<tls::SessionSlot> slot,
                                              std::shared_ptr<tls::Worker> worker) const;

 private:
  static constexpr std::uint64_t kFirstVersion = 1;

  // Publishes what `edit` makes of a copy of the members, unless it returns false.
  bool change(const std::function<bool(Members&)>& edit);

  GroupOptions options_;
  std::shared_ptr<const tls::ClientContext> tls_;
  std::atomic<std::uint64_t> version_{kFirstVersion};
  mutable std::mutex mutex_;  // over what follows; never held across a call out
  std::shared_ptr<const Members> members_;
};

}  // namespace upstream
