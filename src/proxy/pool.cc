#include "proxy/pool.h"

#include <algorithm>

#include "upstream/round_robin.h"

namespace proxy {

PooledConnection::PooledConnection(Pool& pool, std::unique_ptr<http1::ClientConnection> connection,
                                   const base::Address& address, io::Time now)
    : pool_(pool),
      connection_(std::move(connection)),
      address_(address.to_string()),
      opened_(now) {}

// P06: an end, or bytes that nobody asked for.
void PooledConnection::on_unusable(http1::ClientConnection&) { pool_.discard(pool_.unlink(*this)); }

Lease::Lease(Pool& pool) : pool_(&pool) { ++pool.leased_; }

Lease& Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    close();
    pool_ = std::exchange(other.pool_, nullptr);
    connection_ = std::move(other.connection_);
  }
  return *this;
}

void Lease::leave() {
  if (pool_ != nullptr) --std::exchange(pool_, nullptr)->leased_;
}

void Lease::adopt(upstream::Connected connected) {
  const upstream::GroupOptions& options = pool_->group_->options();
  io::Loop& loop = pool_->pools_.loop();
  http1::ClientLimits limits;
  limits.first_byte_timeout = options.first_byte_timeout;
  limits.idle_timeout = options.idle_timeout;
  auto connection = http1::ClientConnection::create(loop, std::move(connected.stream), limits);
  connection_ = std::make_unique<PooledConnection>(*pool_, std::move(connection), connected.address,
                                                   loop.now());
  pool_->opened.add();
}

void Lease::give_back() {
  if (connection_ == nullptr) return leave();
  ++connection_->exchanges_;
  pool_->keep(std::move(connection_));
  leave();
}

void Lease::close() {
  if (connection_ != nullptr) pool_->discard(std::move(connection_));
  leave();
}

Pool::Pool(Pools& pools, std::shared_ptr<upstream::Endpoint> endpoint)
    : pools_(pools),
      endpoint_(std::move(endpoint)),
      session_(std::make_shared<tls::SessionSlot>()),
      timer_(pools.loop_, &on_timer, this) {}

Pool::~Pool() { close_idle(); }

// A reload may have made another group of the same endpoints: what was set up otherwise is not used
// any more.
void Pool::use(const std::shared_ptr<const upstream::Group>& group) {
  if (group_ != nullptr) {
    const upstream::GroupOptions& before = group_->options();
    const upstream::GroupOptions& now = group->options();
    if (group_->tls() != group->tls() || before.first_byte_timeout != now.first_byte_timeout ||
        before.idle_timeout != now.idle_timeout) {
      close_idle();
    }
  }
  group_ = group;
}

Lease Pool::lease(const std::shared_ptr<const upstream::Group>& group) {
  Lease lease = lease_fresh(group);
  const io::Time now = pools_.loop_.now();
  while (newest_ != nullptr) {
    auto connection = unlink(*newest_);
    if (now < connection->expires_) {
      connection->connection_->keep(nullptr);
      reused.add();
      lease.connection_ = std::move(connection);
      break;
    }
    discard(std::move(connection));
  }
  return lease;
}

Lease Pool::lease_fresh(const std::shared_ptr<const upstream::Group>& group) {
  if (group_ != group) use(group);
  return Lease(*this);
}

base::Task<upstream::Connector::Result> Pool::connect(io::Duration timeout) {
  return pools_.connector_.connect(*endpoint_, *group_, timeout, session_);
}

void Pool::keep(std::unique_ptr<PooledConnection> connection) {
  const upstream::KeepaliveOptions& options = group_->options().keepalive;
  const io::Time now = pools_.loop_.now();
  if (!connection->connection_->reusable() || endpoint_->left() || options.idle == 0 ||
      (options.requests != 0 && connection->exchanges_ >= options.requests) ||
      (options.age.count() != 0 && now - connection->opened_ >= options.age) ||
      pools_.idle_ >= Pools::kIdleMax) {
    return discard(std::move(connection));
  }
  io::Duration timeout = options.idle_timeout;
  // P12: a second less than the origin says, for our request takes its time to get there.
  if (auto hint = connection->connection_->keep_alive_hint(); hint.count() != 0) {
    timeout = std::min(timeout, std::max<io::Duration>(hint - std::chrono::seconds(1), {}));
  }
  connection->expires_ = now + timeout;
  if (!timer_.armed() || connection->expires_ < timer_.deadline()) {
    timer_.set(connection->expires_);
  }
  if (idle_ >= options.idle) discard(unlink(*oldest_));
  PooledConnection* kept = connection.release();
  kept->older_ = newest_;
  (newest_ == nullptr ? oldest_ : newest_->newer_) = kept;
  newest_ = kept;
  ++idle_;
  ++pools_.idle_;
  kept->connection_->keep(kept);
}

std::unique_ptr<PooledConnection> Pool::unlink(PooledConnection& connection) {
  (connection.newer_ == nullptr ? newest_ : connection.newer_->older_) = connection.older_;
  (connection.older_ == nullptr ? oldest_ : connection.older_->newer_) = connection.newer_;
  connection.newer_ = connection.older_ = nullptr;
  --idle_;
  --pools_.idle_;
  return std::unique_ptr<PooledConnection>(&connection);
}

// Perhaps from within a call of the connection's, so it lives on to the end of the turn.
void Pool::discard(std::unique_ptr<PooledConnection> connection) {
  connection->connection_->close();
  pools_.loop_.dispose(std::move(connection));
}

void Pool::close_idle() {
  while (newest_ != nullptr) discard(unlink(*newest_));
}

void Pool::on_timer(void* self) {
  auto& pool = *static_cast<Pool*>(self);
  const io::Time now = pool.pools_.loop_.now();
  io::Time next = io::Time::max();
  for (PooledConnection* at = pool.oldest_; at != nullptr;) {
    PooledConnection& connection = *std::exchange(at, at->newer_);
    if (now >= connection.expires_) {
      pool.discard(pool.unlink(connection));
    } else {
      next = std::min(next, connection.expires_);
    }
  }
  if (next != io::Time::max()) pool.timer_.set(next);
}

Pool& Pools::find(upstream::Endpoint& endpoint) {
  auto found = pools_.find(&endpoint);
  if (found == pools_.end()) {
    auto pool = std::make_unique<Pool>(*this, endpoint.shared_from_this());
    found = pools_.emplace(&endpoint, std::move(pool)).first;
  }
  latest_ = found->second.get();
  return *latest_;
}

std::shared_ptr<upstream::Chooser> Pools::chooser(const std::shared_ptr<upstream::Group>& group) {
  auto chooser = choosers_[group.get()].lock();
  if (chooser == nullptr) {
    chooser = std::make_shared<upstream::RoundRobin>(group, random_);
    choosers_[group.get()] = chooser;
  }
  return chooser;
}

void Pools::drop_left() {
  latest_ = nullptr;  // may be among those that go
  for (auto& [endpoint, pool] : pools_) {
    if (endpoint->left()) pool->close_idle();
  }
  std::erase_if(pools_,
                [](const auto& item) { return item.first->left() && item.second->leased() == 0; });
  // Here, once a reload: at each new one it would be the square of their number.
  std::erase_if(choosers_, [](const auto& item) { return item.second.expired(); });
}

}  // namespace proxy
