// The keys that session tickets are sealed with: random, rotated, shared by all workers (T05).
//
// The newest key seals; older ones still open, until a ticket sealed with them must have expired.
// The set is immutable and swapped whole, so a handshake holds it without a lock; made once per
// process and kept over reloads, so that tickets live on. take_over() and text() carry it into the
// next binary. Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tls/openssl.h"

namespace tls {

class TicketKeys {
 public:
  // One key for each rotation within the longest lifetime: 7 d with rotation every 12 h, and some.
  static constexpr size_t kKeysMax = 24;
  static constexpr std::chrono::hours kRotateMax{24};
  static constexpr std::chrono::hours kLifetimeMax{24 * 7};

  struct Key {
    std::array<unsigned char, 16> name;
    std::array<unsigned char, 32> cipher_key;
    std::array<unsigned char, 32> mac_key;
    std::int64_t created = 0;  // unix seconds
  };
  using Set = std::vector<Key>;  // newest first, never empty

  explicit TicketKeys(std::int64_t unix_time);
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  std::shared_ptr<const Set> keys() const;
  // To be called now and then: makes a new key when the newest is as old as `rotate`, and forgets
  // those whose tickets have all outlived `lifetime`. True when something changed.
  bool maintain(std::int64_t unix_time, std::chrono::nanoseconds rotate,
                std::chrono::nanoseconds lifetime);
  // For the next process. Secret: a pipe or memory, never a file.
  std::string text() const;
  // What text() gave. False, and nothing changed, when it isn't that.
  bool take_over(std::string_view text);

  // AES-256-CBC and HMAC, fetched once (fetching for each ticket costs more than sealing it).
  const EVP_CIPHER* cipher() const { return cipher_.get(); }

 private:
  void set(std::shared_ptr<const Set> keys);

  mutable std::mutex mutex_;  // held to copy or swap the pointer
  std::shared_ptr<const Set> keys_;
  CipherPointer cipher_;
};

}  // namespace tls
