#include "io/mailbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace io {

Mailbox::Mailbox() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    std::perror("webship: eventfd");  // out of descriptors before the first connection: no way on
    std::abort();
  }
}

Mailbox::~Mailbox() { ::close(descriptor_); }

bool Mailbox::post(Call call) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    if (closed_) return false;
    calls_.push_back(std::move(call));
    wake = !std::exchange(woken_, true);
  }
  if (wake) {
    const uint64_t one = 1;
    // Never full: the loop is woken by the edge and the count stays far from its end.
    [[maybe_unused]] const ssize_t written = ::write(descriptor_, &one, sizeof one);
  }
  return true;
}

void Mailbox::run() {
  {
    std::lock_guard lock(mutex_);
    woken_ = false;
    running_.swap(calls_);
  }
  for (Call& call : running_) call();
  running_.clear();
}

void Mailbox::close() {
  std::lock_guard lock(mutex_);
  closed_ = true;
}

}  // namespace io
