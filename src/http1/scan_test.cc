// Scans against their definition byte by byte: every length, every place, every byte.
#include "http1/scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace http1 {
namespace {

bool in_value(unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); }
bool in_target(unsigned char c) { return c > 0x20 && c < 0x7f; }

template <typename Skip, typename Allowed>
void check(Skip skip, Allowed allowed) {
  for (size_t before : {size_t{0}, size_t{3}, size_t{20}}) {
    for (size_t size = 0; size <= 40; ++size) {
      // Of its own, so that a sanitizer sees a load beyond the end.
      auto memory = std::make_unique_for_overwrite<char[]>(before + size);
      std::fill_n(memory.get(), before, '\n');  // what stands before may be anything
      char* const begin = memory.get() + before;
      char* const end = begin + size;
      std::fill(begin, end, 'v');
      EXPECT_EQ(skip(memory.get(), begin, end), end);
      for (size_t at = 0; at < size; ++at) {
        for (int byte = 0; byte < 256; ++byte) {
          begin[at] = static_cast<char>(byte);
          const char* expected = allowed(static_cast<unsigned char>(byte)) ? end : begin + at;
          ASSERT_EQ(skip(memory.get(), begin, end), expected) << size << " " << at << " " << byte;
        }
        begin[at] = 'v';
      }
    }
  }
}

TEST(ScanTest, Values) { check(skip_value, in_value); }
TEST(ScanTest, Targets) { check(skip_target, in_target); }

TEST(ScanTest, TheFirstOfSeveralIsFound) {
  for (size_t size = 2; size <= 40; ++size) {
    for (size_t first = 0; first + 1 < size; ++first) {
      std::string text(size, 'v');
      text[first] = text[size - 1] = '\n';
      const char* begin = text.data();
      EXPECT_EQ(skip_value(begin, begin, begin + size), begin + first);
    }
  }
}

}  // namespace
}  // namespace http1
