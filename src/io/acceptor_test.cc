#include "io/acceptor.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/stream_fixture.h"
#include "io/temporary_folder.h"

namespace io {
namespace {

struct Collecting final : AcceptorUser {
  std::vector<int> accepted;
  std::vector<base::Address> peers;
  std::function<void()> then;
  void on_accepted(int descriptor, const base::Address& peer) override {
    accepted.push_back(descriptor);
    peers.push_back(peer);
    if (then) then();
  }
  ~Collecting() {
    for (const int descriptor : accepted) ::close(descriptor);
  }
};

base::Address bound_address(int descriptor) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return *base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size);
}

// A blocking connection to it; -1 on failure.
int connect_to(const base::Address& address) {
  sockaddr_storage to{};
  const socklen_t size = address.to_sockaddr(to);
  const int descriptor = ::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor, reinterpret_cast<sockaddr*>(&to), size) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

TEST(AcceptorTest, AcceptsWithNoDelayAndClosedOnExec) {
  Loop loop;
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  ASSERT_TRUE(listening) << listening.error().text();
  Collecting user;
  Acceptor acceptor(loop, *listening, false, user);
  Peer client(connect_to(bound_address(*listening)));
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == 1; }));
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  ::getsockopt(user.accepted[0], IPPROTO_TCP, 1 /* TCP_NODELAY */, &no_delay, &size);
  EXPECT_NE(no_delay, 0);
  EXPECT_NE(::fcntl(user.accepted[0], F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(user.accepted[0], F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(user.peers[0], bound_address(client.descriptor()));
  ::close(*listening);
}

TEST(AcceptorTest, PausesAndResumes) {
  Loop loop;
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  Collecting user;
  Acceptor acceptor(loop, *listening, false, user);
  user.then = [&] { acceptor.pause(); };  // within the call
  Peer a(connect_to(bound_address(*listening)));
  Peer b(connect_to(bound_address(*listening)));
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == 1; }));
  turn_some(loop);
  EXPECT_EQ(user.accepted.size(), 1U);
  user.then = nullptr;
  acceptor.resume();
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == 2; }));
  ::close(*listening);
}

TEST(AcceptorTest, AcceptsNoMoreThanABatchInATurn) {
  Loop loop;
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  Collecting user;
  Acceptor acceptor(loop, *listening, false, user);
  std::vector<std::unique_ptr<Peer>> clients;
  for (int i = 0; i < Acceptor::kBatch + 10; ++i) {
    clients.push_back(std::make_unique<Peer>(connect_to(bound_address(*listening))));
  }
  loop.turn(Duration::zero());
  EXPECT_EQ(user.accepted.size(), static_cast<size_t>(Acceptor::kBatch));
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == clients.size(); }));
  ::close(*listening);
}

TEST(AcceptorTest, SharedByTwoLoops) {
  Loop first;
  Loop second;
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  Collecting a;
  Collecting b;
  Acceptor one(first, *listening, true, a);
  Acceptor two(second, *listening, true, b);
  Peer client(connect_to(bound_address(*listening)));
  ASSERT_TRUE(turn_until(first, [&] {
    second.turn(Duration::zero());
    return a.accepted.size() + b.accepted.size() == 1;
  }));
  ::close(*listening);
}

// Runs `test` in a child, whose limits are its own.
void in_child(const std::function<bool()>& test) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test() ? 0 : 1);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(AcceptorTest, O01OutOfDescriptorsItRestsAndGoesOn) {
  in_child([] {
    Loop loop;
    const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
    Collecting user;
    Acceptor acceptor(loop, *listening, false, user);
    const int client = connect_to(bound_address(*listening));
    if (client < 0) return false;
    // From here on the next descriptor would be one too many.
    const rlimit tight{static_cast<rlim_t>(client) + 1, 4096};
    if (::setrlimit(RLIMIT_NOFILE, &tight) != 0) return false;
    for (int i = 0; i < 10; ++i) loop.turn(Duration::zero());
    if (acceptor.failures() != 1 || !user.accepted.empty()) return false;  // once, then it rests
    const rlimit wide{4096, 4096};
    if (::setrlimit(RLIMIT_NOFILE, &wide) != 0) return false;
    return turn_until(loop, [&] { return user.accepted.size() == 1; });
  });
}

TEST(ListenTest, SaysWhatToDoWhenThePortIsTaken) {
  const auto first = listen(base::Address::ipv4(0x7f000001, 0), {.reuse_port = false});
  ASSERT_TRUE(first);
  const auto second = listen(bound_address(*first), {.reuse_port = false});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, EADDRINUSE);
  EXPECT_NE(second.error().text().find("something listens there already"), std::string::npos);
  ::close(*first);
}

TEST(ListenTest, SeveralSocketsOfOneAddress) {
  const auto first = listen(base::Address::ipv4(0x7f000001, 0), {});
  ASSERT_TRUE(first);
  const auto second = listen(bound_address(*first), {});
  ASSERT_TRUE(second) << second.error().text();
  ::close(*first);
  ::close(*second);
}

TEST(ListenTest, BothFamiliesAtOnce) {
  const auto listening = listen(base::Address::dual(0), {});
  ASSERT_TRUE(listening) << listening.error().text();
  const uint16_t port = bound_address(*listening).port();
  Loop loop;
  Collecting user;
  Acceptor acceptor(loop, *listening, false, user);
  Peer client(connect_to(base::Address::ipv4(0x7f000001, port)));
  ASSERT_GE(client.descriptor(), 0);
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == 1; }));
  EXPECT_EQ(user.peers[0].ip_string(), "127.0.0.1") << "not ::ffff:127.0.0.1";
  ::close(*listening);
}

TEST(ListenTest, AnAddressThatIsNotOurs) {
  const auto listening = listen(base::Address::ipv4(0xc0000201, 0), {});  // 192.0.2.1
  ASSERT_FALSE(listening);
  EXPECT_NE(listening.error().text().find("no such address"), std::string::npos);
}

TEST(ListenTest, UnixSocketsHaveTheirModeAndReplaceStaleOnesOnly) {
  const TemporaryFolder folder;
  const auto address = base::Address::unix_path(folder.path("socket"));
  const auto first = listen(address, {.unix_mode = 0600});
  ASSERT_TRUE(first) << first.error().text();
  struct stat found{};
  ASSERT_EQ(::stat(folder.path("socket").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);

  const auto live = listen(address, {});
  ASSERT_FALSE(live);
  EXPECT_EQ(live.error().code, EADDRINUSE);

  ::close(*first);  // the file stays behind
  const auto again = listen(address, {.unix_mode = 0666});
  ASSERT_TRUE(again) << again.error().text();
  Loop loop;
  Collecting user;
  Acceptor acceptor(loop, *again, false, user);
  Peer client(connect_to(address));
  ASSERT_GE(client.descriptor(), 0);
  ASSERT_TRUE(turn_until(loop, [&] { return user.accepted.size() == 1; }));
  ::close(*again);

  folder.write("file", "not a socket");
  EXPECT_FALSE(listen(base::Address::unix_path(folder.path("file")), {}));
  EXPECT_FALSE(listen(base::Address::unix_path(folder.path("none/socket")), {}));
}

}  // namespace
}  // namespace io
