// Blocks, slices, arenas and buffers.
#include <gtest/gtest.h>

#include <string>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/slice.h"

namespace base {
namespace {

TEST(BlockPool, GivesBackWhatWasReleased) {
  BlockPool pool(1024, 1);
  Block* first = pool.take();
  Block* second = pool.take();
  first->release();
  second->release();  // beyond the maximum that is kept: freed
  EXPECT_EQ(pool.take(), first);
  EXPECT_EQ(first->capacity(), 1024u);
  first->release();
}

TEST(Slice, KeepsItsBlock) {
  Slice slice = Slice::copy_of("hello");
  Slice part = slice;
  part.remove_prefix(1);
  part.remove_suffix(1);
  slice = {};
  EXPECT_EQ(part.view(), "ell");
  Slice moved = std::move(part);
  EXPECT_EQ(moved.view(), "ell");
  EXPECT_TRUE(part.empty());  // NOLINT(bugprone-use-after-move): what a moved one is
}

TEST(Slice, ViewsWhatOutlivesIt) {
  EXPECT_EQ(Slice::unowned("text").view(), "text");
  EXPECT_TRUE(Slice::copy_of("").empty());
}

TEST(Arena, RefusesBeyondItsMaximum) {
  BlockPool pool(256, 4);
  Arena arena(pool, 1000);
  EXPECT_NE(arena.allocate(100), nullptr);
  EXPECT_NE(arena.allocate(800), nullptr);  // larger than a block: one of its own
  EXPECT_EQ(arena.allocate(200), nullptr);
  EXPECT_EQ(arena.copy(std::string(500, 'x')), "");
  arena.clear();
  EXPECT_EQ(arena.size(), 0u);
  EXPECT_NE(arena.allocate(900), nullptr);
}

TEST(Arena, JoinsAndAligns) {
  BlockPool pool(256, 4);
  Arena arena(pool);
  EXPECT_EQ(arena.join("a", "bc", "d"), "abcd");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.allocate(3)) % alignof(void*), 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.allocate(3)) % alignof(void*), 0u);
  EXPECT_EQ(arena.allocate(SIZE_MAX), nullptr);
}

TEST(Buffer, StaysContiguousWhileItIsTakenFromTheFront) {
  Buffer buffer;
  std::string expected;
  for (int i = 10; i < 1000; ++i) {
    std::string text = std::to_string(i);
    buffer.append(text);
    expected += text;
    if (i % 3 == 0) {
      buffer.consume(2);
      expected.erase(0, 2);
    }
    ASSERT_EQ(buffer.view(), expected);
  }
  buffer.consume(buffer.size());
  EXPECT_TRUE(buffer.empty());
  buffer.release();
  EXPECT_EQ(buffer.writable(), 0u);
}

}  // namespace
}  // namespace base
