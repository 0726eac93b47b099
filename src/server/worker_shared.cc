#include "server/worker_shared.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "io/file.h"
#include "io/random_bytes.h"
#include "server/snapshot.h"

namespace server {

namespace {

constexpr const char* kMimeTypes = "/etc/mime.types";

template <typename T>
T random_value() {
  T value;
  io::random_bytes(&value, sizeof value);
  return value;
}

}  // namespace

WorkerShared::WorkerShared(int64_t unix_time)
    : ticket_keys(std::make_shared<tls::TicketKeys>(unix_time)),
      hash_key(random_value<base::HashKey>()),
      pseudonym(random_value<uint64_t>()),
      seed_(random_value<base::Random::Seed>()) {
  if (auto text = io::read_file(kMimeTypes)) media_types.load(*text);
}

base::Random::Seed WorkerShared::seed(size_t worker) const {
  base::Random::Seed seed = seed_;
  seed[0] ^= worker * 0x9e3779b97f4a7c15u;
  return seed;
}

void WorkerShared::maintain_tickets(const Snapshot& snapshot, int64_t unix_time) {
  std::chrono::nanoseconds rotate = tls::TicketKeys::kRotateMax;
  std::chrono::nanoseconds lifetime{};
  for (const auto& site : snapshot.options.sites) {
    for (const auto& on : site.listeners) {
      if (!on.tls || !on.tls->session_tickets.enabled) continue;
      rotate = std::min(rotate, on.tls->session_tickets.rotate);
      lifetime = std::max(lifetime, on.tls->session_tickets.lifetime);
    }
  }
  if (lifetime.count() > 0) ticket_keys->maintain(unix_time, rotate, lifetime);
}

void ProcessState::set_certificates(std::vector<Certificate> certificates) {
  std::lock_guard lock(mutex_);
  certificates_ = std::move(certificates);
}

std::vector<ProcessState::Certificate> ProcessState::certificates() const {
  std::lock_guard lock(mutex_);
  return certificates_;
}

}  // namespace server
