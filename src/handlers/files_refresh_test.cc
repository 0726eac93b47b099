// Entries of the file cache that are no longer fresh: how often the disk is asked, and that every
// change is seen.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "handlers/test_world.h"
#include "io/traced_child.h"

namespace handlers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kFresh{110};  // longer than roots are, at the least

class FilesRefreshTest : public testing::Test {
 protected:
  FilesRefreshTest() { world.options.cache.fresh = kFresh; }

  // The loop's clock is beyond what was looked up before.
  void grow_stale() {
    const io::Time before = world.loop.now();
    world.wait([&] { return world.loop.now() - before >= kFresh; });
  }
  // Until an unchanged entry is proved by its status alone.
  void settle(std::string_view path) {
    uint64_t before = 0;
    world.wait([&] {
      grow_stale();
      before = world.files().lookups_in_loop() + world.files().lookups_off_loop();
      world.get(path);
      return before == world.files().lookups_in_loop() + world.files().lookups_off_loop();
    });
  }
  std::vector<std::unique_ptr<http::FakeExchange>> ask_many(std::string_view path) {
    std::vector<std::unique_ptr<http::FakeExchange>> asking;
    for (int i = 0; i < kMany; ++i) {
      asking.push_back(std::make_unique<http::FakeExchange>("GET", path));
      asking.back()->handle(world.files());
    }
    return asking;
  }
  std::string body(std::string_view path, const World::List& fields = {}) {
    return world.get(path, fields).body;
  }

  static constexpr int kMany = 64;
  World world;
};

TEST_F(FilesRefreshTest, ManyRequestsForAStaleEntryLookOnce) {
  world.write("sub/a.txt", "hello");
  world.write("sub/a.txt.br", "BR");
  io::TracedChild child;
  child.start([this] {
    settle("/sub/a.txt");
    std::vector<std::unique_ptr<http::FakeExchange>> asking;
    for (int i = 0; i < kMany; ++i) {
      asking.push_back(std::make_unique<http::FakeExchange>("GET", "/sub/a.txt"));
    }
    io::TracedChild::announce();
    for (;;) {
      grow_stale();
      ::getppid();  // marks the beginning
      for (const auto& exchange : asking) exchange->handle(world.files());
      ::getppid();
      for (auto& exchange : asking) {
        if (exchange->carrier.body != "hello") ::_exit(2);
        exchange = std::make_unique<http::FakeExchange>("GET", "/sub/a.txt");
      }
    }
  });
  const auto mark = [](uint64_t number) { return number == SYS_getppid; };
  for (int round = 0; round < 3; ++round) {
    child.until(mark);
    const auto calls = child.until(mark);
    // The root, the folder, the file and its sibling: opened as a path, looked at, closed.
    EXPECT_LE(io::TracedChild::total(calls), 4 * 3) << io::TracedChild::text(calls);
    EXPECT_GE(io::TracedChild::total(calls), 4) << "nothing was looked at";
  }
}

TEST_F(FilesRefreshTest, AChangeIsLookedUpOnceForMany) {
  world.write("a.txt", "old");
  settle("/a.txt");
  world.write("a.txt", "new");
  grow_stale();
  const uint64_t before = world.files().lookups_in_loop() + world.files().lookups_off_loop();
  const auto asking = ask_many("/a.txt");
  world.wait([&] { return std::ranges::all_of(asking, [](auto& e) { return e->done(); }); });
  for (const auto& exchange : asking) EXPECT_EQ(exchange->carrier.body, "new");
  EXPECT_EQ(world.files().lookups_in_loop() + world.files().lookups_off_loop(), before + 1);
}

// Where only a helper can look (here: the root is elsewhere), one does for all.
TEST_F(FilesRefreshTest, ManyRequestsShareTheLookOfAHelper) {
  world.write("a.txt", "hello");
  settle("/a.txt");
  const uint64_t off_loop = world.files().lookups_off_loop();
  for (uint64_t round = 1; round <= 3; ++round) {
    std::filesystem::rename(world.root, world.top / "elsewhere");
    grow_stale();
    const auto asking = ask_many("/a.txt");
    world.wait([&] { return std::ranges::all_of(asking, [](auto& e) { return e->done(); }); });
    for (const auto& exchange : asking) EXPECT_EQ(exchange->carrier.body, "hello");
    EXPECT_EQ(world.files().lookups_off_loop(), off_loop + round);
    EXPECT_EQ(body("/a.txt"), "hello");  // fresh again
    EXPECT_EQ(world.files().lookups_off_loop(), off_loop + round);
    std::filesystem::rename(world.top / "elsewhere", world.root);
  }
}

TEST_F(FilesRefreshTest, EveryChangeOfAProvedFileIsSeen) {
  world.write("sub/a.txt", "old");
  const World::List br = {{"Accept-Encoding", "br"}};
  const auto after = [&](const char* what, auto change, const World::List& fields = {}) {
    settle("/sub/a.txt");
    change();
    grow_stale();
    SCOPED_TRACE(what);
    world.get("/sub/a.txt", fields);
    return std::to_string(world.exchange->carrier.status) + " " + world.exchange->carrier.body;
  };
  const std::filesystem::path file = world.root / "sub/a.txt";
  EXPECT_EQ(after("overwritten", [&] { std::ofstream(file) << "new"; }), "200 new");
  EXPECT_EQ(after("with its former time",
                  [&] {
                    const auto time = std::filesystem::last_write_time(file);
                    std::ofstream(file) << "wen";
                    std::filesystem::last_write_time(file, time);
                  }),
            "200 wen");
  EXPECT_EQ(after("replaced",
                  [&] {
                    world.write("sub/next", "one");
                    std::filesystem::rename(world.root / "sub/next", file);
                  }),
            "200 one");
  EXPECT_EQ(
      after("a sibling", [&] { world.write("sub/a.txt.br", "BR", seconds(0)); }, br), "200 BR");
  EXPECT_EQ(
      after(
          "a sibling changed", [&] { std::ofstream(world.root / "sub/a.txt.br") << "RB"; }, br),
      "200 RB");
  EXPECT_EQ(
      after(
          "a sibling gone", [&] { std::filesystem::remove(world.root / "sub/a.txt.br"); }, br),
      "200 one");
  EXPECT_EQ(after("deleted", [&] { std::filesystem::remove(file); }).substr(0, 3), "404");
  world.write("sub/a.txt", "back");
  EXPECT_EQ(after("its folder renamed",
                  [&] { std::filesystem::rename(world.root / "sub", world.root / "bus"); })
                .substr(0, 3),
            "404");
}

// What a folder's status doesn't tell of is looked up each time.
TEST_F(FilesRefreshTest, ALinkThatLedNowhereIsSeenToLeadSomewhere) {
  world.write("a.txt", "plain");
  std::filesystem::create_directory(world.root / "other");
  std::filesystem::create_symlink("other/a.br", world.root / "a.txt.br");
  const World::List br = {{"Accept-Encoding", "br"}};
  // As many looks as a proof takes, were there one.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(body("/a.txt", br), "plain");
    grow_stale();
  }
  world.write("other/a.br", "BR", seconds(0));
  grow_stale();
  EXPECT_EQ(body("/a.txt", br), "BR");
}

TEST_F(FilesRefreshTest, AnIndexOfGreaterWeightIsSeen) {
  world.options.index = {"index.htm", "index.html"};
  world.write("sub/index.html", "second");
  settle("/sub/");
  EXPECT_EQ(body("/sub/"), "second");
  world.write("sub/index.htm", "first");
  grow_stale();
  EXPECT_EQ(body("/sub/"), "first");
}

TEST_F(FilesRefreshTest, AFileOfTheShortNameIsSeenBeforeItsCleanUrl) {
  world.options.clean_urls = true;
  world.write("about.html", "page");
  settle("/about");
  EXPECT_EQ(body("/about"), "page");
  world.write("about", "file");
  grow_stale();
  EXPECT_EQ(body("/about"), "file");
}

// F04: what is proved is proved to be beneath the root, on every way there.
TEST_F(FilesRefreshTest, F04WhatWasSwappedForALinkOutIsRefused) {
  world.write("sub/a.txt", "inside");
  world.write("b.txt", "inside");
  std::filesystem::create_directory(world.top / "outside");
  settle("/sub/a.txt");
  settle("/b.txt");
  // The same inodes, reached by links that lead out.
  std::filesystem::rename(world.root / "sub", world.top / "outside/sub");
  std::filesystem::create_symlink("../outside/sub", world.root / "sub");
  std::filesystem::rename(world.root / "b.txt", world.top / "outside/b.txt");
  std::filesystem::create_symlink("../outside/b.txt", world.root / "b.txt");
  grow_stale();
  EXPECT_EQ(world.get("/sub/a.txt").status, 404);
  EXPECT_EQ(world.get("/b.txt").status, 404);
}

TEST_F(FilesRefreshTest, APermissionThatWasTakenAwayIsSeen) {
  if (::geteuid() == 0) {
    // Root may read all: another user's process would be needed. The status must differ, at least.
    world.write("a.txt", "text");
    const auto before = io::Directory::open(world.root, io::Symlinks::inside)->status("a.txt");
    ::chmod((world.root / "a.txt").c_str(), 0);
    const auto after = io::Directory::open(world.root, io::Symlinks::inside)->status("a.txt");
    EXPECT_NE(*before, *after);
    return;
  }
  world.write("a.txt", "text");
  settle("/a.txt");
  ::chmod((world.root / "a.txt").c_str(), 0);
  grow_stale();
  EXPECT_EQ(world.get("/a.txt").status, 403);
}

TEST_F(FilesRefreshTest, MoreFoldersThanAreRemembered) {
  const int count = 300;
  const auto path = [](int i) { return "/" + std::to_string(i) + "/a.txt"; };
  for (int i = 0; i < count; ++i) world.write(path(i).substr(1), "old");
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < count; ++i) EXPECT_EQ(body(path(i)), "old");
    grow_stale();
  }
  for (int i = 0; i < count; ++i) std::ofstream(world.root / path(i).substr(1)) << "new";
  grow_stale();
  for (int i = 0; i < count; ++i) EXPECT_EQ(body(path(i)), "new");
}

}  // namespace
}  // namespace handlers
