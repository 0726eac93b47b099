// Names of fields: every listed one in any case, and nothing that only resembles one.

#include "http/field_name.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

constexpr int kNames = 0
#define WEBSHIP_X(id, text) +1
    WEBSHIP_FIELD_NAMES(WEBSHIP_X)
#undef WEBSHIP_X
    ;

TEST(FieldName, EveryListedNameIsFoundInAnyCase) {
  for (int i = 1; i <= kNames; ++i) {
    const auto id = static_cast<FieldName>(i);
    std::string text(field_text(id));
    EXPECT_EQ(field_name(text), id) << text;
    for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
    EXPECT_EQ(field_name(text), id) << text;
    for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c & ~0x20 : c);
    EXPECT_EQ(field_name(text), id) << text;
  }
}

TEST(FieldName, OneByteOffIsAnother) {
  for (int i = 1; i <= kNames; ++i) {
    const std::string text(field_text(static_cast<FieldName>(i)));
    for (size_t at = 0; at < text.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string changed = text;
        changed[at] = static_cast<char>(byte);
        if ((byte | 0x20) == (text[at] | 0x20) && text[at] >= 'A') continue;
        if (changed == text) continue;
        const FieldName found = field_name(changed);
        EXPECT_NE(found, static_cast<FieldName>(i)) << changed;
      }
    }
    EXPECT_NE(field_name(text + "x"), static_cast<FieldName>(i));
    EXPECT_NE(field_name(text.substr(1)), static_cast<FieldName>(i));
  }
  EXPECT_EQ(field_name(""), FieldName::other);
}

TEST(FieldName, WhatStandsBehindANameIsNotLookedAt) {
  for (int i = 1; i <= kNames; ++i) {
    const auto id = static_cast<FieldName>(i);
    const std::string_view text = field_text(id);
    if (text.size() > 16) continue;
    for (int byte = 0; byte < 256; ++byte) {
      const std::string bytes = std::string(text) + std::string(16, static_cast<char>(byte));
      EXPECT_EQ(field_name_in16(std::string_view(bytes).substr(0, text.size())), id) << bytes;
      if (text.size() == 16) continue;
      EXPECT_NE(field_name_in16(std::string_view(bytes).substr(0, text.size() + 1)), id) << bytes;
    }
  }
}

}  // namespace
}  // namespace http
