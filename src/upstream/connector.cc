#include "upstream/connector.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace upstream {

// Attempts under way for one connection. Lives in the frame of connect().
class Connector::Race {
 public:
  Race(Connector& owner, const Endpoint& endpoint, const Group& group,
       std::shared_ptr<tls::SessionSlot> slot, Addresses addresses)
      : owner_(owner),
        endpoint_(endpoint),
        group_(group),
        slot_(std::move(slot)),
        addresses_(std::move(addresses)),
        stagger_(owner.loop_, &on_stagger, this),
        deadline_(owner.loop_, &on_deadline, this) {
    attempts_.reserve(addresses_.size());
  }

  base::Signal& over() { return over_; }
  Result take() {
    if (winner_.stream) return std::move(winner_);
    return std::unexpected(std::move(error_));
  }
  void start(io::Duration timeout) {
    deadline_.set_after(timeout);
    start_next();
  }

 private:
  struct Attempt final : io::StreamUser {
    explicit Attempt(Race& owner, const base::Address& to) : race(owner), address(to) {}
    // Nothing is expected before a request; what comes is kept by the stream.
    size_t on_bytes(std::string_view) override { return 0; }
    void on_end() override { race.lost(*this, {io::Error::Kind::closed, 0, {}}); }
    void on_writable() override {}
    void on_connected() override { race.won(*this); }
    void on_failed(const io::Error& error) override { race.lost(*this, error); }

    Race& race;
    base::Address address;
    io::Stream::Pointer stream;
  };

  void start_next() {
    if (attempts_.size() == addresses_.size()) return;
    const base::Address& address = addresses_[attempts_.size()];
    attempts_.push_back(std::make_unique<Attempt>(*this, address));
    Attempt& attempt = *attempts_.back();
    ++running_;
    attempt.stream = io::Stream::connect(owner_.loop_, address, attempt,
                                         group_.make_layer(endpoint_, slot_, owner_.tls_));
    if (attempts_.size() < addresses_.size()) stagger_.set_after(kStagger);
  }

  // The last thing that happens to this object: who waits destroys it.
  void won(Attempt& attempt) {
    if (winner_.stream) return;
    winner_ = {std::move(attempt.stream), attempt.address};
    // What was overtaken had more time than the winner.
    for (const auto& other : attempts_) {
      if (other.get() == &attempt) break;
      if (other->stream) owner_.remember_failure(other->address);
    }
    stagger_.cancel();
    deadline_.cancel();
    over_.notify();
  }

  void lost(Attempt& attempt, const io::Error& error) {
    attempt.stream.reset();
    --running_;
    owner_.remember_failure(attempt.address);
    const bool security = error.kind == io::Error::Kind::security;
    fail(security ? ConnectError::Kind::security : ConnectError::Kind::failed,
         attempt.address.to_string() + ": " + error.text());
    if (attempts_.size() < addresses_.size()) return start_next();
    if (running_ == 0) end();
  }

  void fail(ConnectError::Kind kind, std::string detail) {
    error_.kind = kind;
    if (!error_.detail.empty()) error_.detail += "; ";
    error_.detail += detail;
  }

  void end() {
    stagger_.cancel();
    deadline_.cancel();
    over_.notify();
  }

  static void on_stagger(void* self) { static_cast<Race*>(self)->start_next(); }
  static void on_deadline(void* self) {
    auto& race = *static_cast<Race*>(self);
    for (auto& attempt : race.attempts_) {
      if (attempt->stream) race.owner_.remember_failure(attempt->address);
    }
    race.fail(ConnectError::Kind::timeout, race.endpoint_.id() + ": not connected in time");
    race.end();
  }

  Connector& owner_;
  const Endpoint& endpoint_;
  const Group& group_;
  const std::shared_ptr<tls::SessionSlot> slot_;
  const Addresses addresses_;
  std::vector<std::unique_ptr<Attempt>> attempts_;
  size_t running_ = 0;
  Connected winner_;
  ConnectError error_;
  base::Signal over_;
  io::Timer stagger_;
  io::Timer deadline_;
};

base::Task<Connector::Result> Connector::connect(const Endpoint& endpoint, const Group& group,
                                                 io::Duration timeout,
                                                 std::shared_ptr<tls::SessionSlot> slot) {
  const EndpointOptions& options = endpoint.options();
  Addresses addresses;
  if (options.address.family() != base::Address::Family::kNone) {
    addresses.push_back(options.address);
  } else {
    Resolver::Answer answer = co_await resolver_.resolve(options.host, group.options().resolve);
    if (!answer) {
      co_return std::unexpected(
          ConnectError{ConnectError::Kind::unresolved, std::move(answer.error())});
    }
    addresses = order(**answer, options.port);
  }
  Race race(*this, endpoint, group, std::move(slot), std::move(addresses));
  race.start(timeout);
  co_await race.over().wait();
  co_return race.take();
}

// RFC 8305 4: the resolver's first family first, then in turns; what failed lately at the end.
Addresses Connector::order(const Addresses& resolved, std::uint16_t port) {
  std::array<Addresses, 2> families;
  for (const base::Address& address : resolved) {
    families[address.family() == resolved.front().family() ? 0 : 1].push_back(
        address.with_port(port));
  }
  ++turn_;
  for (Addresses& family : families) {
    if (family.size() < 2) continue;
    std::ranges::rotate(family, family.begin() + turn_ % family.size());
  }
  Addresses result;
  for (size_t i = 0; i < std::max(families[0].size(), families[1].size()); ++i) {
    for (Addresses& family : families) {
      if (i < family.size()) result.push_back(std::move(family[i]));
    }
  }
  std::ranges::stable_partition(result, [&](const auto& a) { return !failed_lately(a); });
  if (result.size() > kAttemptsMax) result.resize(kAttemptsMax);
  return result;
}

bool Connector::failed_lately(const base::Address& address) const {
  return std::ranges::any_of(failures_, [&](const Failure& failure) {
    return failure.until > loop_.now() && failure.address == address;
  });
}

void Connector::remember_failure(const base::Address& address) {
  failures_[next_failure_] = {address, loop_.now() + kFailureMemory};
  next_failure_ = (next_failure_ + 1) % failures_.size();
}

}  // namespace upstream
