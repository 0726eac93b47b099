// Sixteen bytes at once, in the portable vector types of GCC and Clang.
//
// For scans over targets, paths and fields that look for the few bytes that matter. Compiles to
// SSE2 or NEON, both of which every supported machine has. A comparison gives 0xff where it holds.
// Loads may be unaligned; never load beyond the end of a view.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace base {

using Bytes16 = unsigned char __attribute__((vector_size(16)));

inline Bytes16 load16(const char* p) {
  Bytes16 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

inline Bytes16 equal16(Bytes16 v, char c) {
  return reinterpret_cast<Bytes16>(v == (Bytes16{} + static_cast<unsigned char>(c)));
}

// Unsigned: v < c.
inline Bytes16 below16(Bytes16 v, unsigned char c) {
  return reinterpret_cast<Bytes16>(v < (Bytes16{} + c));
}

// The first eight bytes and the last eight of 8 to 16: they overlap, and hold every byte.
inline Bytes16 load_ends16(const char* p, std::size_t size) {
  Bytes16 v;
  std::memcpy(&v, p, 8);
  std::memcpy(reinterpret_cast<char*>(&v) + 8, p + size - 8, 8);
  return v;
}

// The index of the first byte, from index `from` (below 16) on, where a comparison holds, or 16.
inline std::size_t first16(Bytes16 mask, std::size_t from = 0) {
#if defined(__SSE2__)
  const auto bits = static_cast<unsigned>(_mm_movemask_epi8(std::bit_cast<__m128i>(mask)));
  return static_cast<std::size_t>(std::countr_zero((bits & (~0u << from)) | 0x10000u));
#elif defined(__ARM_NEON)
  // Four bits for each byte: what movemask is on x86.
  const uint8x8_t narrow = vshrn_n_u16(std::bit_cast<uint16x8_t>(mask), 4);
  const std::uint64_t bits = vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
  return static_cast<std::size_t>(std::countr_zero(bits & (~std::uint64_t{0} << (4 * from)))) / 4;
#else
  while (from < 16 && mask[from] == 0) ++from;
  return from;
#endif
}

inline bool any16(Bytes16 mask) {
  std::uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace base
