#include "http/field_name.h"

#include <array>

#include "base/text.h"

namespace http {

namespace {

constexpr std::array kTexts = {std::string_view(),
#define WEBSHIP_X(id, text) std::string_view(text),
                               WEBSHIP_FIELD_NAMES(WEBSHIP_X)
#undef WEBSHIP_X
};

constexpr size_t kSlots = 512;

// Length, first, middle and last letter tell the listed names apart well enough for short probes.
constexpr size_t slot_of(std::string_view name) {
  auto lower = [&](size_t i) { return static_cast<unsigned char>(name[i]) | 0x20u; };
  size_t last = name.size() - 1;
  return (name.size() * 31 + lower(0) * 7 + lower(last / 2) * 53 + lower(last) * 131) % kSlots;
}

constexpr std::array<uint8_t, kSlots> make_table() {
  std::array<uint8_t, kSlots> table{};
  for (size_t i = 1; i < kTexts.size(); ++i) {
    size_t slot = slot_of(kTexts[i]);
    while (table[slot] != 0) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<uint8_t>(i);
  }
  return table;
}

constexpr std::array<uint8_t, kSlots> kTable = make_table();

}  // namespace

FieldName field_name(std::string_view name) {
  if (name.empty()) return FieldName::other;
  for (size_t slot = slot_of(name); kTable[slot] != 0; slot = (slot + 1) % kSlots) {
    std::string_view text = kTexts[kTable[slot]];
    if (text.size() == name.size() && base::iequals(text, name)) {
      return static_cast<FieldName>(kTable[slot]);
    }
  }
  return FieldName::other;
}

std::string_view field_text(FieldName name) { return kTexts[static_cast<size_t>(name)]; }

}  // namespace http
