// Signals, privileges, processors, log files: what concerns the process. What changes it is tried
// in a child.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "io/cpu.h"
#include "io/file.h"
#include "io/file_writer.h"
#include "io/privileges.h"
#include "io/signals.h"
#include "io/stream_fixture.h"
#include "io/temporary_folder.h"

namespace io {
namespace {

// The number of the check that failed first, or 0.
int check_in_child(const std::function<int()>& test) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test());
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct Heard final : SignalUser {
  std::vector<int> signals;
  void on_signal(int signal) override { signals.push_back(signal); }
};

TEST(SignalsTest, ComeThroughTheLoop) {
  EXPECT_EQ(check_in_child([] {
              Signals::block();
              Loop loop;
              Heard user;
              Signals signals(loop, user);
              for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
                ::kill(::getpid(), signal);
              }
              if (!turn_until(loop, [&] { return user.signals.size() == 5; })) return 1;
              ::kill(::getpid(), SIGHUP);
              if (!turn_until(loop, [&] { return user.signals.size() == 6; })) return 2;
              if (user.signals.back() != SIGHUP) return 3;
              ::kill(::getpid(), SIGPIPE);  // ignored
              return 0;
            }),
            0);
}

std::string status_line(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) {
      const size_t at = line.find_first_not_of(" \t", name.size() + 1);
      return at == std::string::npos ? "" : line.substr(at);
    }
  }
  return "none";
}

TEST(PrivilegesTest, FindsIdentities) {
  const auto root = find_identity("root", "");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->uid, 0U);
  EXPECT_EQ(root->gid, 0U);
  const auto number = find_identity("54321", "54322");
  ASSERT_TRUE(number);
  EXPECT_EQ(number->uid, 54321U);
  EXPECT_EQ(number->gid, 54322U);
  EXPECT_EQ(number->groups, std::vector<gid_t>{54322});
  EXPECT_EQ(find_identity("no-such-user", "").error().text(), "there is no user no-such-user");
  EXPECT_EQ(find_identity("root", "no-such-group").error().text(),
            "there is no group no-such-group");
}

int become_and_check() {
  const auto identity = find_identity("65534", "65534");
  if (!identity || !become(*identity)) return 1;
  if (::getuid() != 65534 || ::geteuid() != 65534 || ::getegid() != 65534) return 2;
  gid_t groups[8];
  const int count = ::getgroups(8, groups);
  for (int i = 0; i < count; ++i) {
    if (groups[i] == 0) return 3;
  }
  const bool can_bind = ::prctl(PR_CAPBSET_READ, CAP_NET_BIND_SERVICE) == 1;
  const std::string expected = can_bind ? "0000000000000400" : "0000000000000000";
  if (status_line("CapPrm") != expected || status_line("CapEff") != expected) return 4;
  if (status_line("CapInh") != "0000000000000000") return 5;
  if (status_line("CapBnd") != expected) return 6;
  if (status_line("NoNewPrivs") != "1") return 7;
  if (::setuid(0) == 0) return 8;
  if (::access("/etc/shadow", R_OK) == 0) return 9;
  return 0;
}

TEST(PrivilegesTest, BecomesTheUserAndKeepsOneCapability) {
  if (is_root()) {
    EXPECT_EQ(check_in_child(become_and_check), 0);
  } else {
    const auto other = find_identity("0", "");
    EXPECT_NE(check_in_child([&] { return become(*other) ? 0 : 1; }), 0) << "nobody becomes root";
  }
}

TEST(PrivilegesTest, RaisesTheDescriptorLimit) {
  EXPECT_EQ(check_in_child([] {
              rlimit limit{};
              ::getrlimit(RLIMIT_NOFILE, &limit);
              const rlimit low{100, limit.rlim_max};
              ::setrlimit(RLIMIT_NOFILE, &low);
              if (raise_descriptor_limit(200) != limit.rlim_max) return 1;
              ::getrlimit(RLIMIT_NOFILE, &limit);
              return limit.rlim_cur == limit.rlim_max ? 0 : 2;
            }),
            0);
}

TEST(CpuTest, IsLimitedByTheControlGroup) {
  const unsigned all = usable_processors("/nowhere");
  ASSERT_GE(all, 1U);
  struct Case {
    const char* groups;
    const char* file;
    const char* content;
    unsigned expected;
  };
  for (const Case& c : {
           Case{"0::/\n", "sys/fs/cgroup/cpu.max", "max 100000\n", all},
           Case{"0::/\n", "sys/fs/cgroup/cpu.max", "100000 100000\n", 1},
           Case{"0::/a/b\n", "sys/fs/cgroup/a/cpu.max", "50000 100000\n", 1},
           Case{"0::/a/b\n", "sys/fs/cgroup/cpu.max", "50000 100000\n", 1},
           Case{"0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "150000 100000\n", std::min(all, 2U)},
           Case{"0::/\n", "sys/fs/cgroup/cpu.max", "nonsense", all},
           Case{"4:cpu,cpuacct:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "100000\n", 1},
           Case{"4:cpu,cpuacct:/x\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "20000\n", 1},
           Case{"4:cpuacct:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "100000\n", all},
           Case{"4:cpu:/x\n", "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n", all},
           Case{"", "sys/fs/cgroup/cpu.max", "100000 100000\n", all},
       }) {
    const TemporaryFolder folder;
    folder.write("proc/self/cgroup", c.groups);
    folder.write(c.file, c.content);
    std::string period = c.file;
    if (const size_t at = period.find("quota_us"); at != std::string::npos) {
      folder.write(period.replace(at, 8, "period_us"), "100000\n");
    }
    EXPECT_EQ(usable_processors(folder.path()), c.expected) << c.groups << c.file;
  }
}

TEST(FileWriterTest, AppendsAndReopens) {
  const TemporaryFolder folder;
  folder.write("log", "before\n");
  auto writer = FileWriter::open(folder.path("log"));
  ASSERT_TRUE(writer);
  EXPECT_EQ(*writer->write("one\n", std::chrono::milliseconds(100)), 4U);
  ASSERT_EQ(::rename(folder.path("log").c_str(), folder.path("log.1").c_str()), 0);
  EXPECT_EQ(*writer->write("two\n", std::chrono::milliseconds(100)), 4U);
  ASSERT_TRUE(writer->reopen());
  EXPECT_EQ(*writer->write("three\n", std::chrono::milliseconds(100)), 6U);
  EXPECT_EQ(*read_file(folder.path("log.1")), "before\none\ntwo\n");
  EXPECT_EQ(*read_file(folder.path("log")), "three\n");
  EXPECT_EQ(file_status(folder.path("log"))->mode & 07137U, 0U) << "at most 0640";
}

TEST(FileWriterTest, AFailedReopenKeepsTheOldFile) {
  const TemporaryFolder folder;
  folder.write("logs/log", "");
  auto writer = FileWriter::open(folder.path("logs/log"));
  ASSERT_TRUE(writer);
  ASSERT_EQ(::rename(folder.path("logs").c_str(), folder.path("moved").c_str()), 0);
  EXPECT_FALSE(writer->reopen());
  EXPECT_EQ(*writer->write("x", std::chrono::milliseconds(100)), 1U);
  EXPECT_EQ(*read_file(folder.path("moved/log")), "x");
}

TEST(FileWriterTest, SaysWhatCannotBeOpened) {
  const auto writer = FileWriter::open("/nowhere/log");
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().text(), "No such file or directory: cannot write /nowhere/log");
}

TEST(FileWriterTest, AFullDiskIsAnError) {
  auto writer = FileWriter::open("/dev/full");
  ASSERT_TRUE(writer);
  const auto written = writer->write("x", std::chrono::milliseconds(100));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ENOSPC);
}

TEST(FileWriterTest, ABlockedPipeIsGivenUp) {
  EXPECT_EQ(check_in_child([] {
              int ends[2];
              if (::pipe2(ends, O_CLOEXEC) != 0) return 6;  // blocking, as a shell makes it
              ::dup2(ends[1], STDOUT_FILENO);
              auto writer = FileWriter::open("stdout");
              if (!writer) return 1;
              const std::string much(1 << 20, 'x');
              const auto written = writer->write(much, std::chrono::milliseconds(20));
              if (!written || *written == 0 || *written >= much.size()) return 2;
              // Made readable again, it goes on.
              std::string drained(much.size(), '\0');
              if (::read(ends[0], drained.data(), *written) <= 0) return 3;
              const auto more = writer->write("more", std::chrono::milliseconds(1000));
              if (!more || *more != 4) return 4;
              // Nobody there any more.
              Signals::block();
              ::close(ends[0]);
              ::close(ends[1]);
              const auto gone = writer->write("x", std::chrono::milliseconds(20));
              return !gone && gone.error().code == EPIPE ? 0 : 5;
            }),
            0);
}

TEST(ErrorTest, SaysItInOneLine) {
  EXPECT_EQ(Error::system(ECONNREFUSED).text(), "Connection refused");
  EXPECT_EQ((Error{Error::Kind::closed, 0, "without close_notify"}).text(),
            "closed by the other side: without close_notify");
  EXPECT_EQ((Error{Error::Kind::system, 0, "there is no user x"}).text(), "there is no user x");
  EXPECT_FALSE(static_cast<bool>(Error{}));
}

}  // namespace
}  // namespace io
