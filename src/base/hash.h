// A keyed hash, SipHash-1-3, and the hash-table types built on it.
//
// For tables whose keys peers choose: without the key nobody can make keys that collide (D06). One
// HashKey is made at start from the kernel's randomness and handed down. It is not a MAC: 1-3
// rounds protect a table, not a secret. Lookups by string_view need no string: `table.find(view)`.
// Reference: Aumasson, Bernstein, "SipHash: a fast short-input PRF" (2012).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace base {

struct HashKey {
  std::uint64_t k0 = 0;
  std::uint64_t k1 = 0;
  bool operator==(const HashKey&) const = default;
};

namespace detail {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }

  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
};

}  // namespace detail

inline std::uint64_t siphash(const HashKey& key, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  detail::SipState state{key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
                         key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  for (; n >= 8; n -= 8, p += 8) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    state.absorb(word);
  }
  std::uint64_t last = static_cast<std::uint64_t>(bytes.size()) << 56;
  for (std::size_t i = 0; i < n; ++i) {
    last |= static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
  }
  state.absorb(last);
  state.v2 ^= 0xff;
  state.round();
  state.round();
  state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

// Hashes anything that a string_view can look at.
struct StringHash {
  using is_transparent = void;
  HashKey key;
  std::size_t operator()(std::string_view text) const {
    return static_cast<std::size_t>(siphash(key, text));
  }
};

// Make with `StringMap<T> table(0, StringHash{key})` where peers choose the names; the default key
// is for names from the configuration.
template <typename T>
using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;
using StringSet = std::unordered_set<std::string, StringHash, std::equal_to<>>;

}  // namespace base
