#include "base/random.h"

#include "base/text.h"

namespace base {

Random::Random(const Seed& seed) : state_(seed) {
  // The state of all zeros is the only one it never leaves.
  if ((seed[0] | seed[1] | seed[2] | seed[3]) == 0) state_[0] = 1;
}

std::uint64_t Random::below(std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(next()) * bound;
  auto low = static_cast<std::uint64_t>(product);
  if (low < bound) {
    const std::uint64_t threshold = -bound % bound;
    while (low < threshold) {
      product = static_cast<Wide>(next()) * bound;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

void Random::write_id(char* out) {
  for (int half = 0; half < 2; ++half) {
    std::uint64_t bits = next();
    for (int i = 0; i < 16; ++i, bits <<= 4) *out++ = kLowerHex[bits >> 60];
  }
}

std::string Random::id() {
  std::string result(kIdSize, '0');
  write_id(result.data());
  return result;
}

}  // namespace base
