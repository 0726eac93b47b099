// Streams in cleartext: what goes out. Order, back-pressure, files, budgets, system calls.

#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "io/file.h"
#include "io/helper_pool.h"
#include "io/stream.h"
#include "io/stream_fixture.h"
#include "io/temporary_folder.h"

namespace io {
namespace {

std::string pattern(size_t size, unsigned seed = 1) {
  std::string bytes(size, '\0');
  unsigned state = seed;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

TEST_F(StreamTest, SendsAtTheEndOfTheTurnInOneSegment) {
  open();
  user.taking = [&](std::string_view view) {
    for (int i = 0; i < 20; ++i) stream->write("0123456789");
    peer->receive();
    EXPECT_EQ(peer->received(), "");  // nothing has left yet
    return view.size();
  };
  peer->send("?");
  ASSERT_TRUE(until_received(200));
  EXPECT_EQ(stream->sent(), 200U);
  EXPECT_EQ(stream->queued(), 0U);
  EXPECT_EQ(user.progress, 1);
}

TEST_F(StreamTest, FlushSendsNow) {
  open();
  stream->write("now");
  EXPECT_EQ(stream->queued(), 3U);
  stream->flush();
  EXPECT_EQ(stream->queued(), 0U);
  peer->receive();
  EXPECT_EQ(peer->received(), "now");
  EXPECT_EQ(user.progress, 0) << "callbacks come from the loop, not from flush()";
}

TEST_F(StreamTest, KeepsTheOrderOfEveryKindOfPiece) {
  const TemporaryFolder folder;
  const std::string small = pattern(1000, 2);
  const std::string large = pattern(300'000, 3);
  folder.write("small", small);
  folder.write("large", large);
  auto root = Directory::open(folder.path(), Symlinks::inside);
  ASSERT_TRUE(root);
  const base::FileReference small_file = root->open("small")->file;
  const base::FileReference large_file = root->open("large")->file;
  const std::string view = pattern(200'000, 4);
  const std::string slice = pattern(5000, 5);
  HelperPool helpers;
  for (HelperPool* pool : {static_cast<HelperPool*>(nullptr), &helpers}) {
    open();
    stream->set_helpers(pool);
    std::string expected;
    for (int round = 0; round < 3; ++round) {
      stream->write("head");
      stream->write(base::FileRange{small_file, 10, 500});
      stream->write(base::Slice::copy_of(slice));
      stream->write(base::Slice::unowned("tiny"));
      stream->write(view);
      stream->write(base::FileRange{large_file, 1, 250'000});
      stream->write(view);
      char* room = stream->prepare_write(100);
      room[0] = 'p';
      stream->commit_write(1);
      stream->write(base::FileRange{large_file, 0, large.size()});
      expected += "head" + small.substr(10, 500) + slice + "tiny" + view +
                  large.substr(1, 250'000) + view + "p" + large;
    }
    stream->end();
    ASSERT_TRUE(until_received(expected.size()));
    EXPECT_TRUE(peer->received() == expected);
    ASSERT_TRUE(until([&] { return user.saw("drained"); }));
    EXPECT_EQ(stream->sent(), expected.size());
    EXPECT_EQ(stream->queued(), 0U);
    user.events.clear();
    stream.reset();
  }
}

TEST_F(StreamTest, SendsALargeViewWithinTheCallAndCopiesOnlyTheRest) {
  open(8192);
  std::string view = pattern(100'000);
  const std::string expected = "head" + view;
  stream->write("head");
  stream->write(view);
  const uint64_t queued = stream->queued();
  EXPECT_LT(queued, expected.size()) << "some of it was sent within the call";
  EXPECT_GT(queued, 0U) << "and not all of it";
  view.assign(view.size(), '!');  // the view is not needed any more
  ASSERT_TRUE(until_received(expected.size()));
  EXPECT_TRUE(peer->received() == expected);
}

TEST_F(StreamTest, TellsWhenTheQueueIsHighAndLow) {
  open(8192);
  const std::string piece = pattern(10'000);
  std::string expected;
  while (stream->writable()) {
    stream->write(piece);
    expected += piece;
    stream->flush();
    ASSERT_LT(expected.size(), 100U << 20);
  }
  EXPECT_GT(stream->queued(), Stream::kHighMark);
  EXPECT_FALSE(user.saw("writable"));
  user.on_event = [&](const std::string& event) {
    if (event != "writable") return;
    EXPECT_LE(stream->queued(), Stream::kLowMark);
  };
  ASSERT_TRUE(until([&] {
    peer->receive(8192);
    return user.saw("writable");
  }));
  EXPECT_GT(user.progress, 1);
  ASSERT_TRUE(until_received(expected.size()));
  EXPECT_TRUE(peer->received() == expected);
  EXPECT_EQ(std::count(user.events.begin(), user.events.end(), "writable"), 1);
}

TEST_F(StreamTest, AProducerDrivenByWritableSendsEverything) {
  open();
  const std::string body = pattern(20 << 20);
  size_t at = 0;
  int turns = 0;
  const auto produce = [&] {
    while (at < body.size() && stream->writable()) {
      stream->write(std::string_view(body).substr(at, 100'000));
      at += std::min<size_t>(100'000, body.size() - at);
    }
    if (at == body.size()) stream->end();
  };
  user.on_event = [&](const std::string& event) {
    if (event == "writable") produce();
  };
  produce();
  ASSERT_TRUE(until([&] {
    ++turns;
    peer->receive();
    return peer->ended();
  }));
  EXPECT_TRUE(peer->received() == body);
  EXPECT_TRUE(user.saw("drained"));
}

TEST_F(StreamTest, EndSendsAFinBehindTheOutput) {
  open();
  stream->write("last");
  stream->end();
  stream->write("too late");
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended();
  }));
  EXPECT_EQ(peer->received(), "last");
  EXPECT_EQ(user.events, std::vector<std::string>{"drained"});
  peer->send("still read");
  ASSERT_TRUE(until([&] { return user.bytes == "still read"; }));
}

TEST_F(StreamTest, SendsALargeFileExactly) {
  const TemporaryFolder folder;
  const std::string content = pattern(10 << 20);
  folder.write("file", content);
  auto root = Directory::open(folder.path(), Symlinks::inside);
  HelperPool helpers;
  for (HelperPool* pool : {static_cast<HelperPool*>(nullptr), &helpers}) {
    open();
    stream->set_helpers(pool);
    stream->write("H");
    stream->write(base::FileRange{root->open("file")->file, 0, content.size()});
    EXPECT_FALSE(stream->writable());
    EXPECT_EQ(stream->queued(), content.size() + 1);
    ASSERT_TRUE(until_received(content.size() + 1));
    EXPECT_TRUE(peer->received() == "H" + content);
    EXPECT_TRUE(until([&] { return user.saw("writable"); }));
    user.events.clear();
    stream.reset();
  }
}

TEST_F(StreamTest, SendsAFileThatIsNotInMemory) {
  const TemporaryFolder folder;
  const std::string content = pattern(3 << 20);
  folder.write("file", content);
  auto root = Directory::open(folder.path(), Symlinks::inside);
  HelperPool helpers(2, 4);
  for (const size_t size : {content.size(), size_t{20'000}}) {
    open();
    stream->set_helpers(&helpers);
    base::FileReference file = root->open("file")->file;
    ASSERT_EQ(::fdatasync(file.descriptor()), 0);
    ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    stream->write("H");
    stream->write(base::FileRange{std::move(file), 0, size});
    stream->write("T");
    ASSERT_TRUE(until_received(size + 2));
    EXPECT_TRUE(peer->received() == "H" + content.substr(0, size) + "T");
    stream.reset();
  }
}

TEST_F(StreamTest, ClosedWhileAHelperReads) {
  const TemporaryFolder folder;
  folder.write("file", pattern(3 << 20));
  auto root = Directory::open(folder.path(), Symlinks::inside);
  HelperPool helpers(1, 4);
  for (int i = 0; i < 5; ++i) {
    open();
    stream->set_helpers(&helpers);
    base::FileReference file = root->open("file")->file;
    ::fdatasync(file.descriptor());
    ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    stream->write(base::FileRange{std::move(file), 0, 3 << 20});
    stream->flush();
    stream.reset();
  }
  turn_some(loop, 20);
}

TEST_F(StreamTest, F09AFileThatBecomesShorterEndsTheStream) {
  const TemporaryFolder folder;
  HelperPool helpers;
  for (HelperPool* pool : {static_cast<HelperPool*>(nullptr), &helpers}) {
    for (const size_t left : {size_t{0}, size_t{1000}, size_t{700'000}}) {
      folder.write("file", pattern(1 << 20));
      auto root = Directory::open(folder.path(), Symlinks::inside);
      open();
      stream->set_helpers(pool);
      stream->write("head");
      stream->write(base::FileRange{root->open("file")->file, 0, 1 << 20});
      ASSERT_EQ(::truncate((folder.path() + "/file").c_str(), static_cast<off_t>(left)), 0);
      ASSERT_TRUE(until([&] {
        peer->receive();
        return user.saw("failed");
      }));
      peer->receive();
      EXPECT_LE(peer->received().size(), left + 4) << "never padded";
      user.events.clear();
      stream.reset();
    }
  }
}

TEST_F(StreamTest, F09AFileThatBecomesShorterWhileItIsSent) {
  const TemporaryFolder folder;
  const std::string content = pattern(8 << 20);
  folder.write("file", content);
  auto root = Directory::open(folder.path(), Symlinks::inside);
  open(16 * 1024);
  stream->write(base::FileRange{root->open("file")->file, 0, content.size()});
  ASSERT_TRUE(until_received(100'000));
  ASSERT_EQ(::truncate((folder.path() + "/file").c_str(), 1 << 20), 0);
  ASSERT_TRUE(until([&] {
    peer->receive();
    return user.saw("failed");
  }));
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended() || peer->failed() != 0;
  }));
  EXPECT_LT(peer->received().size(), content.size());
  EXPECT_TRUE(content.starts_with(peer->received()));
}

TEST_F(StreamTest, ManyPiecesGoOutInOrder) {
  open(8192);
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    const std::string piece = pattern(static_cast<size_t>(1100 + i), static_cast<unsigned>(i));
    stream->write(base::Slice::copy_of(piece));
    expected += piece;
  }
  ASSERT_TRUE(until_received(expected.size()));
  EXPECT_TRUE(peer->received() == expected);
}

TEST_F(StreamTest, KnowsWhetherWhatTheKernelHoldsIsTaken) {
  open(64 * 1024);
  EXPECT_FALSE(stream->delivering()) << "there is nothing to deliver";
  stream->write(base::Slice::copy_of(std::string(4 << 20, 'x')));
  turn_some(loop);
  ASSERT_GT(stream->queued(), 0U);
  EXPECT_TRUE(stream->delivering()) << "nothing is known yet";
  EXPECT_FALSE(stream->delivering()) << "the peer reads nothing";
  const uint64_t queued = stream->queued();
  // Its window opens by what was read; this may be too little for the socket to be writable again.
  bool moved = false;
  for (int i = 0; i < 64 && !moved; ++i) {
    peer->receive(16 * 1024);
    moved = stream->delivering();
  }
  EXPECT_TRUE(moved);
  EXPECT_EQ(stream->queued(), queued);
}

TEST_F(StreamTest, WritesAfterCloseOrFailureAreDropped) {
  open();
  stream->close();
  stream->write("x");
  stream->write(base::Slice::unowned(std::string_view("yyyy")));
  stream->prepare_write(10);
  stream->commit_write(10);
  stream->end();
  EXPECT_EQ(stream->queued(), 0U);
  turn_some(loop);
}

TEST_F(StreamTest, AnIdleStreamHoldsNoMemory) {
  EXPECT_LE(sizeof(Stream), 400U);
  open();
  base::Block* const before = loop.blocks().take();
  before->release();
  user.taking = [&](std::string_view view) {
    stream->write("answer");
    return view.size();
  };
  peer->send("?");
  ASSERT_TRUE(until_received(6));
  base::Block* const after = loop.blocks().take();
  EXPECT_EQ(before, after) << "the block went back to the pool";
  after->release();
}

}  // namespace
}  // namespace io
