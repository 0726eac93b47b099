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

// The index of the first byte of a comparison's result that holds, or 16.
inline std::size_t first16(Bytes16 mask) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  if (halves[0] != 0) return static_cast<std::size_t>(std::countr_zero(halves[0])) / 8;
  if (halves[1] != 0) return static_cast<std::size_t>(std::countr_zero(halves[1])) / 8 + 8;
  return 16;
}

inline bool any16(Bytes16 mask) {
  std::uint64_t halves[2];
  std::memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

}  // namespace base
