// How many system calls a kept-alive request costs: one recv, one send, besides the wait.
//
// The server is a child that this test traces (ptrace): every system call it makes is seen.

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <map>
#include <string>

#include "io/stream.h"
#include "io/stream_fixture.h"
#include "io/timer.h"

namespace io {
namespace {

class Answering final : public StreamUser {
 public:
  explicit Answering(Stream::Pointer opened)
      : stream_(std::move(opened)), idle_(stream_->loop(), [](void*) { ::_exit(0); }, nullptr) {
    stream_->set_user(this);
    idle_.set_after(std::chrono::seconds(60));
  }
  Stream& stream() { return *stream_; }
  size_t on_bytes(std::string_view bytes) override {
    if (bytes.back() != '\n') return 0;
    for (const char c : bytes) {
      if (c == '\n') stream_->write("HTTP/1.1 200 OK\r\n\r\n");
    }
    idle_.set_after(std::chrono::seconds(60));  // pushed back with every request
    return bytes.size();
  }
  void on_end() override { ::_exit(0); }
  void on_writable() override {}
  void on_failed(const Error&) override { ::_exit(1); }

 private:
  Stream::Pointer stream_;
  Timer idle_;
};

[[noreturn]] void serve(int descriptor, bool secured) {
  Loop loop;
  Answering user(Stream::adopt(loop, descriptor, {}));
  if (secured) user.stream().set_layer(std::make_unique<XorLayer>(XorLayer::Side::server));
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  ::raise(SIGSTOP);
  for (;;) loop.turn(Duration::max());
}

bool is_wait(uint64_t number) {
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return true;
#endif
  return number == SYS_epoll_pwait || number == SYS_epoll_pwait2;
}

// What a sanitizer asks of the kernel for its own books: memory, and (by a pipe) whether an address
// can be read.
bool is_sanitizers(uint64_t number) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return number == SYS_mmap || number == SYS_munmap || number == SYS_madvise ||
         number == SYS_mprotect || number == SYS_futex || number == SYS_pipe2 ||
         number == SYS_write || number == SYS_close;
#else
  static_cast<void>(number);
  return false;
#endif
}

class SystemCalls : public testing::Test {
 protected:
  void start(bool secured = false) {
    const auto [server, client] = tcp_pair();
    child_ = ::fork();
    if (child_ == 0) {
      ::close(client);
      serve(server, secured);
    }
    ::close(server);
    peer_ = std::make_unique<Peer>(client);
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    ASSERT_TRUE(WIFSTOPPED(status));
    ASSERT_EQ(
        ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
    until_wait();  // the first one: it will return at once, for the socket is writable
    until_wait();
  }
  void TearDown() override {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  // Lets the child go on to its next wait. Returns what it called before, by number.
  std::map<uint64_t, int> until_wait() {
    std::map<uint64_t, int> calls;
    for (;;) {
      ::ptrace(PTRACE_SYSCALL, child_, nullptr, nullptr);
      int status = 0;
      if (::waitpid(child_, &status, 0) != child_ || !WIFSTOPPED(status)) {
        ADD_FAILURE() << "the child ended";
        return calls;
      }
      if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info);
      if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
      if (is_wait(info.entry.nr)) return calls;
      if (!is_sanitizers(info.entry.nr)) ++calls[info.entry.nr];
    }
  }
  static int total(const std::map<uint64_t, int>& calls) {
    int sum = 0;
    for (const auto& [number, count] : calls) sum += count;
    return sum;
  }
  static std::string text(const std::map<uint64_t, int>& calls) {
    std::string result;
    for (const auto& [number, count] : calls) {
      result += std::to_string(number) + "×" + std::to_string(count) + " ";
    }
    return result;
  }

  pid_t child_ = -1;
  std::unique_ptr<Peer> peer_;
};

TEST_F(SystemCalls, TwoForARequestBesidesTheWait) {
  start();
  for (int i = 0; i < 10; ++i) {
    peer_->send("GET / HTTP/1.1\r\n");
    const auto calls = until_wait();
    EXPECT_EQ(total(calls), 2) << text(calls);
    peer_->receive();
    EXPECT_EQ(peer_->take(), "HTTP/1.1 200 OK\r\n\r\n");
  }
}

TEST_F(SystemCalls, TwoForManyPipelinedRequests) {
  start();
  std::string many;
  for (int i = 0; i < 100; ++i) many += "GET / HTTP/1.1\r\n";
  peer_->send(many);
  const auto calls = until_wait();
  EXPECT_EQ(total(calls), 2) << text(calls);
}

TEST_F(SystemCalls, TwoForARequestThroughALayer) {
  start(true);
  peer_->send("?");
  until_wait();
  peer_->send(".");
  until_wait();
  peer_->receive();
  for (int i = 0; i < 10; ++i) {
    peer_->send(XorLayer::record("GET / HTTP/1.1\r\n"));
    const auto calls = until_wait();
    EXPECT_EQ(total(calls), 2) << text(calls);
  }
}

}  // namespace
}  // namespace io
