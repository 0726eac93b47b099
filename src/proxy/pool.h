// Kept connections to origins: for one worker, a pool per endpoint and all of them together.
//
// A connection is leased for one exchange and comes back if it may be used again, on top: what was
// used last is used first, so that what a burst opened runs out again. Kept ones are closed after
// idle_timeout (or sooner, where the origin's Keep-Alive says so, P12), beyond the number and age
// that the options allow, when the origin closes or sends what nobody asked for (P06), and when the
// endpoint leaves. Leases end before pools: tasks are destroyed first.
// Belongs to the worker's thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/counter.h"
#include "base/random.h"
#include "http1/client_connection.h"
#include "io/loop.h"
#include "io/timer.h"
#include "upstream/chooser.h"
#include "upstream/connector.h"
#include "upstream/group.h"

namespace proxy {

class Pool;
class Pools;

// One connection to an origin, from connected to closed.
class PooledConnection final : public io::Disposable, public http1::ClientConnection::Keeper {
 public:
  PooledConnection(Pool& pool, std::unique_ptr<http1::ClientConnection> connection,
                   const base::Address& address, io::Time now);

  void on_unusable(http1::ClientConnection& connection) override;

 private:
  friend class Lease;
  friend class Pool;

  Pool& pool_;
  std::unique_ptr<http1::ClientConnection> connection_;
  std::string address_;
  io::Time opened_;
  io::Time expires_{};           // while kept
  std::uint32_t exchanges_ = 0;  // completed
  PooledConnection* newer_ = nullptr;
  PooledConnection* older_ = nullptr;
};

// The right to a connection for one exchange. Destroyed while it has one: the connection is closed.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), connection_(std::move(other.connection_)) {}
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { close(); }

  explicit operator bool() const { return connection_ != nullptr; }
  http1::ClientConnection* operator->() const { return connection_->connection_.get(); }
  http1::ClientConnection& operator*() const { return *connection_->connection_; }
  // Nothing was exchanged on it yet.
  bool fresh() const { return connection_->exchanges_ == 0; }
  std::string_view address() const { return connection_->address_; }

  // Takes the connection that connect() made for a lease without one.
  void adopt(upstream::Connected connected);
  // The exchange is over: kept if it may be used again, else closed.
  void give_back();
  void close();

 private:
  friend class Pool;
  explicit Lease(Pool& pool);
  void leave();

  Pool* pool_ = nullptr;
  std::unique_ptr<PooledConnection> connection_;
};

class Pool {
 public:
  Pool(Pools& pools, std::shared_ptr<upstream::Endpoint> endpoint);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // With the connection used last, or without one: then connect(), adopt().
  Lease lease(const std::shared_ptr<const upstream::Group>& group);
  Lease lease_fresh(const std::shared_ptr<const upstream::Group>& group);
  base::Task<upstream::Connector::Result> connect(io::Duration timeout);

  upstream::Endpoint& endpoint() { return *endpoint_; }
  std::size_t idle() const { return idle_; }
  std::size_t leased() const { return leased_; }
  void close_idle();

  // Any thread may read them.
  base::Counter opened;
  base::Counter reused;
  base::Counter failed;  // to connect

 private:
  friend class Lease;
  friend class PooledConnection;
  friend class Pools;

  void use(const std::shared_ptr<const upstream::Group>& group);
  void keep(std::unique_ptr<PooledConnection> connection);
  std::unique_ptr<PooledConnection> unlink(PooledConnection& connection);
  void discard(std::unique_ptr<PooledConnection> connection);
  static void on_timer(void* self);

  Pools& pools_;
  std::shared_ptr<upstream::Endpoint> endpoint_;
  std::shared_ptr<const upstream::Group> group_;  // whose options count now
  std::shared_ptr<tls::SessionSlot> session_;
  PooledConnection* newest_ = nullptr;
  PooledConnection* oldest_ = nullptr;
  std::size_t idle_ = 0;
  std::size_t leased_ = 0;
  io::Timer timer_;  // when the first of the kept ones expires
};

class Pools {
 public:
  // Kept connections of a worker in all: bounds what many endpoints hold together.
  static constexpr std::size_t kIdleMax = 16'384;

  Pools(io::Loop& loop, upstream::Resolver& resolver, base::Random& random)
      : loop_(loop), connector_(loop, resolver), random_(random) {}

  Pool& of(upstream::Endpoint& endpoint) {
    return latest_ != nullptr && latest_->endpoint_.get() == &endpoint ? *latest_ : find(endpoint);
  }
  // The worker's balancing over a group, shared by all routes that lead there.
  std::shared_ptr<upstream::Chooser> chooser(const std::shared_ptr<upstream::Group>& group);
  // After a change of the configuration: closes what is kept for endpoints that have left.
  void drop_left();

  io::Loop& loop() { return loop_; }
  upstream::Connector& connector() { return connector_; }
  std::size_t idle() const { return idle_; }
  template <typename Visit>
  void visit(Visit visit) const {
    for (const auto& [endpoint, pool] : pools_) visit(*pool);
  }

 private:
  friend class Pool;
  Pool& find(upstream::Endpoint& endpoint);

  io::Loop& loop_;
  upstream::Connector connector_;
  base::Random& random_;
  std::size_t idle_ = 0;
  std::unordered_map<const upstream::Endpoint*, std::unique_ptr<Pool>> pools_;
  Pool* latest_ = nullptr;  // that was asked for
  std::unordered_map<const upstream::Group*, std::weak_ptr<upstream::Chooser>> choosers_;
};

}  // namespace proxy
