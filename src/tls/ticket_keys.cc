#include "tls/ticket_keys.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tls {

namespace {

constexpr std::string_view kTextMark = "webship-ticket-keys-1\n";

TicketKeys::Key make_key(std::int64_t unix_time) {
  TicketKeys::Key key;
  key.created = unix_time;
  // Without random numbers nothing here is safe: an assertion rather than an error.
  if (RAND_bytes(key.name.data(), key.name.size()) != 1 ||
      RAND_priv_bytes(key.cipher_key.data(), key.cipher_key.size()) != 1 ||
      RAND_priv_bytes(key.mac_key.data(), key.mac_key.size()) != 1) {
    std::abort();
  }
  return key;
}

// Wiped when the last handshake that uses it lets go.
std::shared_ptr<const TicketKeys::Set> share(TicketKeys::Set keys) {
  return {new TicketKeys::Set(std::move(keys)), [](const TicketKeys::Set* set) {
            auto* mine = const_cast<TicketKeys::Set*>(set);
            OPENSSL_cleanse(mine->data(), mine->size() * sizeof(TicketKeys::Key));
            delete mine;
          }};
}

std::int64_t seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

TicketKeys::TicketKeys(std::int64_t unix_time)
    : keys_(share({make_key(unix_time)})),
      cipher_(EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr)) {}

TicketKeys::~TicketKeys() = default;

std::shared_ptr<const TicketKeys::Set> TicketKeys::keys() const {
  const std::lock_guard lock(mutex_);
  return keys_;
}

void TicketKeys::set(std::shared_ptr<const Set> keys) {
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

bool TicketKeys::maintain(std::int64_t unix_time, std::chrono::nanoseconds rotate,
                          std::chrono::nanoseconds lifetime) {
  const std::int64_t age_max = std::clamp<std::int64_t>(seconds(rotate), 1, seconds(kRotateMax));
  const std::int64_t life = std::clamp<std::int64_t>(seconds(lifetime), 1, seconds(kLifetimeMax));
  const std::shared_ptr<const Set> now = keys();
  Set next;
  if (unix_time - now->front().created >= age_max) next.push_back(make_key(unix_time));
  for (size_t i = 0; i < now->size() && next.size() < kKeysMax; ++i) {
    // The key before this one took over when it was made; from then on nothing was sealed with it.
    const std::int64_t retired = i > 0 ? (*now)[i - 1].created : unix_time;
    if (unix_time - retired <= life) next.push_back((*now)[i]);
  }
  const bool changed = next.size() != now->size() || next.front().created != now->front().created;
  if (changed) set(share(std::move(next)));
  return changed;
}

std::string TicketKeys::text() const {
  const std::shared_ptr<const Set> now = keys();
  std::string text(kTextMark);
  for (const Key& key : *now) text.append(reinterpret_cast<const char*>(&key), sizeof key);
  return text;
}

bool TicketKeys::take_over(std::string_view text) {
  static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) == 16 + 32 + 32 + 8);
  if (!text.starts_with(kTextMark)) return false;
  text.remove_prefix(kTextMark.size());
  const size_t count = text.size() / sizeof(Key);
  if (count == 0 || count > kKeysMax || count * sizeof(Key) != text.size()) return false;
  Set keys(count);
  std::memcpy(keys.data(), text.data(), text.size());
  set(share(std::move(keys)));
  return true;
}

}  // namespace tls
