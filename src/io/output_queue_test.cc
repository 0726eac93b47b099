#include "io/output_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace io {
namespace {

base::FileReference nothing_to_close() {
  return base::FileReference(
      new base::CountedFile{-1, 1, [](base::CountedFile* file) { delete file; }});
}

struct OutputQueueTest : testing::Test {
  base::BlockPool blocks{64};
  OutputPool pool{blocks};
  OutputQueue queue{pool};

  std::string bytes() const {
    iovec pieces[100];
    std::string all;
    const int count = queue.gather(pieces, 100);
    for (int i = 0; i < count; ++i) {
      all.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
    }
    return all;
  }
  int pieces() const {
    iovec found[100];
    return queue.gather(found, 100);
  }
};

TEST_F(OutputQueueTest, SmallWritesAreOnePiece) {
  queue.append("a");
  queue.append("bc");
  EXPECT_EQ(bytes(), "abc");
  EXPECT_EQ(pieces(), 1);
  queue.consume(1);
  queue.append("d");
  EXPECT_EQ(bytes(), "bcd");
  EXPECT_EQ(pieces(), 1);
  queue.consume(3);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.room(), 0U) << "an empty queue holds no block";
}

TEST_F(OutputQueueTest, GoesOnInFurtherBlocks) {
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    queue.append("0123456789");
    expected += "0123456789";
  }
  EXPECT_EQ(bytes(), expected);
  for (size_t at = 0; at < expected.size(); at += 7) {
    const size_t count = std::min<size_t>(7, expected.size() - at);
    EXPECT_EQ(bytes(), expected.substr(at));
    queue.consume(count);
  }
  EXPECT_TRUE(queue.empty());
}

TEST_F(OutputQueueTest, SlicesStandBetweenCopies) {
  queue.append("a");
  queue.push(base::Slice::unowned("SLICE"));
  queue.append("b");
  queue.append("c");
  EXPECT_EQ(bytes(), "aSLICEbc");
  EXPECT_EQ(pieces(), 3);
}

TEST_F(OutputQueueTest, RoomIsMadeInPlaceAndBeyondABlock) {
  char* room = queue.prepare(10);
  room[0] = 'x';
  queue.commit(1);
  room = queue.prepare(1000);
  std::fill_n(room, 1000, 'y');
  queue.commit(1000);
  EXPECT_EQ(bytes(), "x" + std::string(1000, 'y'));
  queue.clear();
  queue.prepare(10);
  queue.commit(0);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.room(), 0U);
}

TEST_F(OutputQueueTest, FilesEndARunOfBytesAndAreReplacedInPart) {
  queue.append("head");
  queue.push(base::FileRange{nothing_to_close(), 100, 50});
  queue.append("tail");
  EXPECT_EQ(bytes(), "head");
  EXPECT_TRUE(queue.has_files());
  queue.replace_file(queue.first_file(), base::Slice::unowned("0123456789"));
  EXPECT_EQ(bytes(), "head0123456789");
  EXPECT_EQ(queue.first_file().file.offset, 110U);
  EXPECT_EQ(queue.first_file().file.length, 40U);
  queue.consume(14);
  EXPECT_TRUE(queue.front().is_file());
  queue.consume_file(30);
  EXPECT_EQ(queue.front().file.offset, 140U);
  queue.replace_file(queue.front(), base::Slice::unowned("abcdefghij"));
  EXPECT_FALSE(queue.has_files());
  EXPECT_EQ(bytes(), "abcdefghijtail");
}

TEST_F(OutputQueueTest, ReplacingTheLastFileKeepsTheEnd) {
  queue.push(base::FileRange{nothing_to_close(), 0, 20});
  queue.replace_file(queue.front(), base::Slice::unowned("0123456789"));
  queue.append("z");
  queue.consume(10);
  queue.consume_file(10);
  EXPECT_EQ(bytes(), "z");
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace io
