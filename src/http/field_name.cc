#include "http/field_name.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/bytes16.h"
#include "base/text.h"

namespace http {

namespace {

constexpr std::array kTexts = {std::string_view(),
#define WEBSHIP_X(id, text) std::string_view(text),
                               WEBSHIP_FIELD_NAMES(WEBSHIP_X)
#undef WEBSHIP_X
};

// The first sixteen bytes in lower case, filled up with zeros.
struct Key {
  uint64_t low = 0;
  uint64_t high = 0;
  constexpr bool operator==(const Key&) const = default;
};
constexpr size_t kKeySize = 16;

constexpr Key make_key(std::string_view name) {
  Key key;
  for (size_t i = 0; i < name.size() && i < kKeySize; ++i) {
    const auto byte = uint64_t{static_cast<unsigned char>(base::to_lower(name[i]))};
    (i < 8 ? key.low : key.high) |= byte << (8 * (i % 8));
  }
  return key;
}

// The same, of sixteen bytes of which the first `size` are the name's.
Key load_key(const char* bytes, size_t size) {
  static_assert(std::endian::native == std::endian::little);
  static constexpr auto kOnesThenZeros = [] {
    std::array<unsigned char, 2 * kKeySize> mask{};
    std::fill_n(mask.begin(), kKeySize, 0xff);
    return mask;
  }();
  base::Bytes16 name = base::load16(bytes);
  base::Bytes16 kept;
  std::memcpy(&kept, kOnesThenZeros.data() + kKeySize - size, sizeof kept);
  const base::Bytes16 upper = base::below16(name - static_cast<unsigned char>('A'), 26);
  name = (name | (upper & (base::Bytes16{} + 0x20))) & kept;
  return std::bit_cast<Key>(name);
}

constexpr size_t kSlots = 1024;

constexpr size_t slot_of(const Key& key, size_t size) {
  return ((key.low ^ std::rotl(key.high, 29) ^ size) * 0x9e3779b97f4a7c15) >> 54;
}

struct Table {
  std::array<uint8_t, kSlots> slots{};
  std::array<Key, kTexts.size()> keys{};
};

constexpr Table make_table() {
  Table table;
  for (size_t i = 1; i < kTexts.size(); ++i) {
    table.keys[i] = make_key(kTexts[i]);
    size_t slot = slot_of(table.keys[i], kTexts[i].size());
    while (table.slots[slot] != 0) slot = (slot + 1) % kSlots;
    table.slots[slot] = static_cast<uint8_t>(i);
  }
  return table;
}

constexpr Table kTable = make_table();

FieldName look_up(const Key& key, std::string_view name) {
  for (size_t slot = slot_of(key, name.size()); kTable.slots[slot] != 0;
       slot = (slot + 1) % kSlots) {
    const size_t i = kTable.slots[slot];
    if (kTable.keys[i] != key || kTexts[i].size() != name.size()) continue;
    if (name.size() > kKeySize && !base::iequals(kTexts[i], name)) continue;
    return static_cast<FieldName>(i);
  }
  return FieldName::other;
}

}  // namespace

FieldName field_name(std::string_view name) {
  if (name.size() >= kKeySize) return look_up(load_key(name.data(), kKeySize), name);
  char filled[kKeySize] = {};
  if (!name.empty()) std::memcpy(filled, name.data(), name.size());
  return look_up(load_key(filled, name.size()), name);
}

FieldName field_name_in16(std::string_view name) {
  return look_up(load_key(name.data(), name.size()), name);
}

std::string_view field_text(FieldName name) { return kTexts[static_cast<size_t>(name)]; }

}  // namespace http
