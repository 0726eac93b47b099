// The system calls of every request, without glibc's bookkeeping for thread cancellation.
//
// Since glibc 2.41 a blocking call in a process with threads goes through an out-of-line stub that
// makes it a cancellation point; nothing here cancels threads, and for these calls the stub costs
// as much as parsing a request. Same results and errno as the calls of the same names.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace io {

inline ssize_t system_receive(int descriptor, void* into, size_t size) {
  return ::syscall(SYS_recvfrom, descriptor, into, size, 0, nullptr, nullptr);
}

inline ssize_t system_send(int descriptor, const void* bytes, size_t size, int flags) {
  return ::syscall(SYS_sendto, descriptor, bytes, size, flags, nullptr, 0);
}

inline ssize_t system_send(int descriptor, const msghdr* message, int flags) {
  return ::syscall(SYS_sendmsg, descriptor, message, flags);
}

// `timeout` in nanoseconds precision; nullptr: none.
inline int system_wait(int epoll, epoll_event* events, int count, const timespec* timeout) {
  return static_cast<int>(
      ::syscall(SYS_epoll_pwait2, epoll, events, count, timeout, nullptr, size_t{0}));
}

}  // namespace io
