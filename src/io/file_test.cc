#include "io/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "io/temporary_folder.h"

namespace io {
namespace {

namespace fs = std::filesystem;

// root/ is served; secret stands beside it.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    folder.write("root/a.txt", "hello");
    folder.write("root/sub/b.txt", "sub");
    folder.write("secret", "secret");
    folder.write("rootbeer/c.txt", "beer");
  }
  Directory root(Symlinks symlinks = Symlinks::inside) const {
    return std::move(*Directory::open(folder.path("root"), symlinks));
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_symlink(target, folder.path("root/" + name));
  }
  static std::string content(const Directory& directory, std::string_view path) {
    const auto opened = directory.open(path);
    if (!opened) return "errno " + std::to_string(opened.error().code);
    char buffer[100];
    const auto size = read_at(opened->file, 0, buffer, sizeof buffer, false);
    return size ? std::string(buffer, *size) : "unreadable";
  }

  TemporaryFolder folder;
};

TEST_F(FileTest, OpensBeneathItsRoot) {
  const Directory directory = root();
  EXPECT_EQ(content(directory, "a.txt"), "hello");
  EXPECT_EQ(content(directory, "sub/b.txt"), "sub");
  const auto opened = directory.open("a.txt");
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->status.regular);
  EXPECT_FALSE(opened->status.directory);
  EXPECT_EQ(opened->status.size, 5U);
  EXPECT_GT(opened->status.modified_seconds, 0);
  EXPECT_EQ(*directory.status("a.txt"), opened->status);
  EXPECT_TRUE(directory.open("")->status.directory);
  EXPECT_TRUE(directory.open("sub")->status.directory);
  EXPECT_TRUE(directory.open("sub/")->status.directory);
  EXPECT_EQ(directory.open("none").error().code, ENOENT);
  EXPECT_EQ(directory.open("a.txt/b").error().code, ENOTDIR);
  EXPECT_FALSE(directory.open("a.txt/"));
}

TEST_F(FileTest, F01NoSpellingLeadsOut) {
  link("../secret", "escape");
  for (const Symlinks symlinks : {Symlinks::inside, Symlinks::owner, Symlinks::follow}) {
    const Directory directory = root(symlinks);
    for (const std::string_view path :
         {"..", "../secret", "sub/../../secret", "sub/..", "./../secret", "/etc/passwd", "/",
          "../rootbeer/c.txt", "..//secret", "sub/../a.txt"}) {
      EXPECT_FALSE(directory.open(path)) << path;
      EXPECT_FALSE(directory.status(path)) << path;
    }
    EXPECT_FALSE(directory.open(std::string_view("a.txt\0.png", 10)));
    EXPECT_FALSE(directory.open(std::string(5000, 'a')));
    EXPECT_FALSE(directory.open("....//secret"));
    EXPECT_FALSE(directory.open("..;/secret"));
  }
}

TEST_F(FileTest, F04LinksInsideTheRootAreFollowed) {
  link("a.txt", "link");
  link("sub", "folder");
  link("../a.txt", "sub/up");
  const Directory directory = root();
  EXPECT_EQ(content(directory, "link"), "hello");
  EXPECT_EQ(content(directory, "folder/b.txt"), "sub");
  EXPECT_EQ(content(directory, "sub/up"), "hello");
}

TEST_F(FileTest, F04LinksOutOfTheRootAreRefused) {
  link("../secret", "relative");
  link(folder.path("secret"), "absolute");
  link(folder.path("root/a.txt"), "absolute_inside");
  link("..", "parent");
  link("/proc/self/root/etc/passwd", "magic");
  link("loop", "loop");
  const Directory directory = root();
  for (const std::string_view path :
       {"relative", "absolute", "absolute_inside", "parent", "parent/secret", "magic", "loop"}) {
    EXPECT_FALSE(directory.open(path)) << path;
    EXPECT_FALSE(directory.status(path)) << path;
  }
}

TEST_F(FileTest, FollowLeadsAnywhereButByMagic) {
  link("../secret", "relative");
  link(folder.path("secret"), "absolute");
  link("/proc/self/exe", "magic");
  const Directory directory = root(Symlinks::follow);
  EXPECT_EQ(content(directory, "relative"), "secret");
  EXPECT_EQ(content(directory, "absolute"), "secret");
  EXPECT_FALSE(directory.open("magic"));
}

TEST_F(FileTest, OwnerFollowsWhereOwnersMatch) {
  link("../secret", "relative");
  link(folder.path("secret"), "absolute");
  link("sub", "folder");
  link("relative", "twice");
  link("circle2", "circle1");
  link("circle1", "circle2");
  link("../rootbeer", "beer");
  link("none", "dangling");
  const Directory directory = root(Symlinks::owner);
  EXPECT_EQ(content(directory, "relative"), "secret");
  EXPECT_EQ(content(directory, "absolute"), "secret");
  EXPECT_EQ(content(directory, "folder/b.txt"), "sub");
  EXPECT_EQ(content(directory, "twice"), "secret");
  EXPECT_EQ(content(directory, "beer/c.txt"), "beer");
  EXPECT_TRUE(directory.status("relative")->regular);
  EXPECT_EQ(directory.open("circle1").error().code, ELOOP);
  EXPECT_EQ(directory.open("dangling").error().code, ENOENT);
  // What somebody else owns. Root may give a link away; anybody may link to what is root's.
  if (::geteuid() == 0) {
    ASSERT_EQ(::lchown(folder.path("root/relative").c_str(), 1, 1), 0);
    EXPECT_EQ(directory.open("relative").error().code, EACCES);
    EXPECT_EQ(directory.open("twice").error().code, EACCES);
    EXPECT_EQ(content(directory, "absolute"), "secret");
  } else {
    link("/etc/passwd", "roots");
    EXPECT_EQ(directory.open("roots").error().code, EACCES);
  }
}

TEST_F(FileTest, F04FifosDevicesAndSocketsAreRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(folder.path("root/fifo").c_str(), 0666), 0);
  const int server = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  folder.path("root/socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  link("/dev/zero", "device");
  for (const Symlinks symlinks : {Symlinks::inside, Symlinks::owner, Symlinks::follow}) {
    const Directory directory = root(symlinks);
    EXPECT_EQ(directory.open("fifo").error().code, ENOENT);
    EXPECT_FALSE(directory.open("socket"));
    EXPECT_FALSE(directory.open("device"));
  }
  ::close(server);
}

TEST_F(FileTest, F04ExchangedWhileItIsOpenedStaysInside) {
  // One thread exchanges a folder for a link that leads out, as fast as it can.
  folder.write("root/door/secret", "inside");
  fs::create_symlink("..", folder.path("root/other"));
  std::atomic<bool> stop = false;
  std::thread exchanging([&] {
    const std::string door = folder.path("root/door");
    const std::string other = folder.path("root/other");
    while (!stop) ::renameat2(AT_FDCWD, door.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
  });
  const Directory directory = root();
  int opened = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  // On a busy machine the other thread may be off for as long as thousands of these take.
  for (int i = 0; i < 3000 || (opened == 0 && std::chrono::steady_clock::now() < deadline); ++i) {
    const std::string text = content(directory, "door/secret");
    if (text == "inside") ++opened;
    EXPECT_NE(text, "secret");
  }
  stop = true;
  exchanging.join();
  EXPECT_GT(opened, 0);
}

TEST_F(FileTest, WarmOnlyOpensWhatTheKernelKnows) {
  const Directory directory = root();
  ASSERT_TRUE(directory.open("a.txt"));
  EXPECT_TRUE(directory.open("a.txt", true));
  EXPECT_FALSE(directory.open("never/asked/for", true));
}

TEST_F(FileTest, Lists) {
  link("a.txt", "good");
  link("../secret", "bad");
  const Directory directory = root();
  auto entries = directory.list("", 100);
  ASSERT_TRUE(entries);
  std::ranges::sort(*entries, {}, &DirectoryEntry::name);
  std::string names;
  for (const DirectoryEntry& entry : *entries) names += entry.name + " ";
  EXPECT_EQ(names, "a.txt good sub ");
  EXPECT_EQ((*entries)[1].status.size, 5U) << "of what the link leads to";
  EXPECT_TRUE((*entries)[2].status.directory);
  EXPECT_EQ(directory.list("", 2)->size(), 2U);
  EXPECT_EQ(directory.list("sub", 100)->size(), 1U);
  EXPECT_EQ(directory.list("a.txt", 100).error().code, ENOTDIR);
  EXPECT_FALSE(directory.list("..", 100));
}

TEST_F(FileTest, ReadsParts) {
  const auto opened = root().open("a.txt");
  ASSERT_TRUE(opened);
  char buffer[10];
  EXPECT_EQ(*read_at(opened->file, 1, buffer, 3, false), 3U);
  EXPECT_EQ(std::string_view(buffer, 3), "ell");
  EXPECT_EQ(*read_at(opened->file, 5, buffer, 3, false), 0U);
  EXPECT_EQ(*read_at(opened->file, 1, buffer, 3, true), 3U);
}

TEST_F(FileTest, AReferenceKeepsItsFileOpen) {
  base::FileReference file = root().open("a.txt")->file;
  const int descriptor = file.descriptor();
  base::FileReference second = file;
  file = {};
  EXPECT_GE(::fcntl(descriptor, F_GETFD), 0);
  second = {};
  EXPECT_LT(::fcntl(descriptor, F_GETFD), 0);
}

TEST_F(FileTest, ReadsWholeFilesUpToALimit) {
  EXPECT_EQ(*read_file(folder.path("root/a.txt")), "hello");
  EXPECT_EQ(*read_file(folder.path("root/a.txt"), 5), "hello");
  EXPECT_EQ(read_file(folder.path("root/a.txt"), 4).error().code, EFBIG);
  EXPECT_EQ(read_file(folder.path("none")).error().code, ENOENT);
  EXPECT_FALSE(read_file("/proc/self/status")->empty());
  EXPECT_EQ(file_status(folder.path("root/a.txt"))->size, 5U);
}

TEST_F(FileTest, AbsentIsWhatNotEvenALinkNames) {
  link("nowhere", "dangling");
  fs::create_directory_symlink("sub", folder.path("root/way"));
  for (const Symlinks symlinks : {Symlinks::inside, Symlinks::owner, Symlinks::follow}) {
    const Directory directory = root(symlinks);
    EXPECT_TRUE(directory.absent("none", false).value());
    EXPECT_TRUE(directory.absent("sub/none", false).value());
    EXPECT_FALSE(directory.absent("a.txt", false).value());
    EXPECT_FALSE(directory.absent("dangling", false).value());
    EXPECT_FALSE(directory.absent("../none", false).has_value());
    // Behind a link that has an owner to be asked, nothing is said.
    EXPECT_EQ(directory.absent("way/none", false).value_or(false), symlinks != Symlinks::owner);
  }
}

TEST_F(FileTest, StatusAtFollowsWhatTheRootWouldRefuse) {
  fs::create_directory_symlink("../rootbeer", folder.path("root/out"));
  const Directory directory = root();
  EXPECT_FALSE(directory.status("out"));
  const auto beer = Directory::status_at(folder.path("root/out"), false);
  ASSERT_TRUE(beer);
  EXPECT_FALSE(beer->same_file(directory.identity()));
  EXPECT_TRUE(Directory::status_at(folder.path("root"), true)->same_file(directory.identity()));
  EXPECT_FALSE(Directory::status_at(folder.path("secret"), false)) << "not a directory";
}

TEST(FileStatusTest, IsSettledOnceAChangeMustShow) {
  using std::chrono::milliseconds;
  FileStatus status;
  status.changed_seconds = 1000;
  status.changed_nanoseconds = 1'000'000;
  EXPECT_FALSE(status.settled(milliseconds(1'000'000)));
  EXPECT_FALSE(status.settled(milliseconds(1'000'001 + 50)));
  EXPECT_TRUE(status.settled(milliseconds(1'000'001 + 51)));
  status.changed_nanoseconds = 0;  // whole seconds, or two of them, may be all that is kept
  EXPECT_FALSE(status.settled(milliseconds(1'003'000)));
  EXPECT_TRUE(status.settled(milliseconds(1'003'001)));
}

}  // namespace
}  // namespace io
