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
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/stream.h"
#include "upstream/endpoint.h"
#include "upstream/options.h"

namespace tls {
class ClientContext;
}

namespace upstream {

using Members = std::vector<std::shared_ptr<Endpoint>>;

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

  // Changes at run time. Adding one that is there sets its weight.
  void add(const EndpointOptions& endpoint);
  bool remove(std::string_view id);
  // 0 drains it: no new requests, kept tunnels go on.
  bool reweight(std::string_view id, std::uint32_t weight);

  // The security layer towards an endpoint, or nullptr for cleartext.
  std::unique_ptr<io::StreamLayer> make_layer(const Endpoint& endpoint) const;

 private:
  void publish(std::shared_ptr<const Members> members);

  GroupOptions options_;
  std::shared_ptr<const tls::ClientContext> tls_;
  std::atomic<std::uint64_t> version_{1};
  mutable std::mutex mutex_;  // over what follows; never held across a call out
  std::shared_ptr<const Members> members_;
};

}  // namespace upstream
