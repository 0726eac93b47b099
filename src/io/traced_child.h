// For tests: a child of this process whose every system call is seen (ptrace).
//
// The child does what `work` says, which calls announce() once it is ready to be looked at; it is
// stopped there. until() then lets it go on and counts what it calls. Killed at the end.
#pragma once

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <map>
#include <string>

namespace io {

class TracedChild {
 public:
  using Calls = std::map<uint64_t, int>;  // by number

  TracedChild() = default;
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;
  ~TracedChild() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  // `work` never returns.
  template <typename Work>
  void start(Work work) {
    child_ = ::fork();
    if (child_ == 0) {
      work();
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    ASSERT_TRUE(WIFSTOPPED(status));
    ASSERT_EQ(
        ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
  }
  // In the child.
  static void announce() {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
  }

  // Lets the child's first thread go on until it makes a call that `is_last` knows, which isn't
  // counted.
  template <typename Last>
  Calls until(Last is_last) {
    Calls calls;
    for (;;) {
      ::ptrace(PTRACE_SYSCALL, child_, nullptr, nullptr);
      int status = 0;
      if (::waitpid(child_, &status, 0) != child_ || !WIFSTOPPED(status)) {
        ADD_FAILURE() << "the child ended";
        child_ = -1;
        return calls;
      }
      if (WSTOPSIG(status) != (SIGTRAP | 0x80)) continue;
      __ptrace_syscall_info info{};
      ::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info);
      if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
      if (is_last(info.entry.nr)) return calls;
      if (!is_sanitizers(info.entry.nr)) ++calls[info.entry.nr];
    }
  }

  static int total(const Calls& calls) {
    int sum = 0;
    for (const auto& [number, count] : calls) sum += count;
    return sum;
  }
  static std::string text(const Calls& calls) {
    std::string result;
    for (const auto& [number, count] : calls) {
      result += std::to_string(number) + "×" + std::to_string(count) + " ";
    }
    return result;
  }

 private:
  // What a sanitizer asks of the kernel for its own books: memory, and (by a pipe) whether an
  // address can be read.
  static bool is_sanitizers(uint64_t number) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return number == SYS_mmap || number == SYS_munmap || number == SYS_madvise ||
           number == SYS_mprotect || number == SYS_futex || number == SYS_pipe2 ||
           number == SYS_write || number == SYS_close;
#else
    static_cast<void>(number);
    return false;
#endif
  }

  pid_t child_ = -1;
};

}  // namespace io
