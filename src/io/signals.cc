#include "io/signals.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace io {

namespace {
sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  return set;
}
}  // namespace

void Signals::block() {
  const sigset_t set = handled();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A peer that has gone is an error of the write (EPIPE), not an end of the process.
  ::signal(SIGPIPE, SIG_IGN);
}

void Signals::unblock() {
  const sigset_t set = handled();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
}

Signals::Signals(Loop& loop, SignalUser& user) : loop_(loop), user_(user) {
  const sigset_t set = handled();
  descriptor_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor_ < 0 || !loop_.watch(descriptor_, *this, EPOLLIN, Loop::Trigger::level)) {
    std::perror("webship: signalfd");  // at start-up, out of descriptors: no way on
    std::abort();
  }
}

Signals::~Signals() {
  loop_.unwatch(descriptor_, *this);
  ::close(descriptor_);
}

void Signals::on_events(uint32_t) {
  signalfd_siginfo info;
  // One at a time: level-triggered, and the user may destroy this.
  if (::read(descriptor_, &info, sizeof info) == sizeof info) {
    user_.on_signal(static_cast<int>(info.ssi_signo));
  }
}

}  // namespace io
