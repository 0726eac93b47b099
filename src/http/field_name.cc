#include "http/field_name.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/text.h"

namespace http {

namespace {

constexpr std::array kTexts = {std::string_view(),
#define WEBSHIP_X(id, text) std::string_view(text),
                               WEBSHIP_FIELD_NAMES(WEBSHIP_X)
#undef WEBSHIP_X
};

// The first eight bytes and the last eight in lower case, overlapping or filled up with zeros: two
// words that are compared at once, and with the length tell names of up to sixteen bytes apart.
struct Words {
  uint64_t first = 0;
  uint64_t last = 0;
  constexpr bool operator==(const Words&) const = default;
};

constexpr uint64_t load(const char* from, size_t count) {
  uint64_t word = 0;
  if consteval {
    for (size_t i = 0; i < count; ++i) {
      word |= uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    }
  } else {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&word, from, count);
  }
  return word;
}

constexpr Words words_of(std::string_view name) {
  const char* p = name.data();
  const size_t n = name.size();
  if (n >= 8) return {base::lower_word(load(p, 8)), base::lower_word(load(p + n - 8, 8))};
  if (n >= 4) return {base::lower_word(load(p, 4) | load(p + n - 4, 4) << 32), 0};
  if (n == 0) return {};
  return {base::lower_word(load(p, 1) | load(p + n / 2, 1) << 8 | load(p + n - 1, 1) << 16), 0};
}

constexpr size_t kSlots = 1024;

constexpr size_t slot_of(const Words& words, size_t size) {
  const uint64_t mixed = (words.first ^ std::rotl(words.last, 29) ^ size) * 0x9e3779b97f4a7c15;
  return mixed >> 54;
}

struct Table {
  std::array<uint8_t, kSlots> slots{};
  std::array<Words, kTexts.size()> words{};
};

constexpr Table make_table() {
  Table table;
  for (size_t i = 1; i < kTexts.size(); ++i) {
    table.words[i] = words_of(kTexts[i]);
    size_t slot = slot_of(table.words[i], kTexts[i].size());
    while (table.slots[slot] != 0) slot = (slot + 1) % kSlots;
    table.slots[slot] = static_cast<uint8_t>(i);
  }
  return table;
}

constexpr Table kTable = make_table();

}  // namespace

FieldName field_name(std::string_view name) {
  const Words words = words_of(name);
  for (size_t slot = slot_of(words, name.size()); kTable.slots[slot] != 0;
       slot = (slot + 1) % kSlots) {
    const size_t i = kTable.slots[slot];
    if (kTexts[i].size() != name.size() || kTable.words[i] != words) continue;
    if (name.size() > 16 && !base::iequals(kTexts[i], name)) continue;
    return static_cast<FieldName>(i);
  }
  return FieldName::other;
}

std::string_view field_text(FieldName name) { return kTexts[static_cast<size_t>(name)]; }

}  // namespace http
