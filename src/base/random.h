// Fast pseudo-random numbers (xoshiro256**), one generator per worker.
//
// For jitter, balancing, multipart boundaries and request ids. Never for secrets: whoever sees a
// few outputs can compute the rest; keys and nonces come from OpenSSL. Owned by one thread. The
// seed is an argument (32 bytes from getrandom in the product, fixed bytes in tests), as time is
// elsewhere.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace base {

class Random {
 public:
  using Seed = std::array<std::uint64_t, 4>;

  explicit Random(const Seed& seed);

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in 0 … bound - 1 (Lemire's method); 0 when bound is 0.
  std::uint64_t below(std::uint64_t bound);

  // Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // 32 lower-case hexadecimal digits: a request id, a boundary.
  static constexpr std::size_t kIdSize = 32;
  void write_id(char* out);
  std::string id();

  // What std::shuffle and the distributions ask for.
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return next(); }

 private:
  Seed state_;
};

}  // namespace base
