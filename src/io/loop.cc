#include "io/loop.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "io/loop_inner.h"
#include "io/stream.h"
#include "io/system_calls.h"

namespace io {

void Deferred::cancel() {
  if (previous_ == nullptr) return;
  previous_->next_ = next_;
  next_->previous_ = previous_;
  next_ = previous_ = nullptr;
}

Loop::Loop()
    : inner_(std::make_unique<Inner>()),
      mailbox_(std::make_shared<Mailbox>()),
      read_buffer_(std::make_unique_for_overwrite<char[]>(kReadSize)) {
  deferred_.next_ = deferred_.previous_ = &deferred_;
  inner_->epoll = ::epoll_create1(EPOLL_CLOEXEC);
  if (inner_->epoll < 0 || !watch(mailbox_->descriptor(), inner_->mailbox, EPOLLIN)) {
    std::perror("webship: epoll");  // out of descriptors before the first connection: no way on
    std::abort();
  }
  update_time();
}

Loop::~Loop() {
  mailbox_->close();
  inner_->lingering.clear();
  settle();
  // What is still queued belongs to others, who will take it out of a list that is no more.
  while (deferred_.next_ != &deferred_) deferred_.next_->cancel();
  deferred_.next_ = deferred_.previous_ = nullptr;
  ::close(inner_->epoll);
}

void Loop::run() {
  while (!stopped_) turn(Duration::max());
  mailbox_->close();
}

void Loop::turn(Duration timeout) {
  wait(timeout);
  update_time();
  ++turn_number_;
  continue_ready();
  dispatch();
  if (std::exchange(inner_->mailbox.posted, false)) mailbox_->run();
  if (inner_->timers.next() <= now_) inner_->timers.run(now_);
  settle();
}

void Loop::wait(Duration timeout) {
  Inner& in = *inner_;
  in.event_next = 0;
  const bool busy = !ready_.empty() || !dirty_.empty() || !disposed_.empty() ||
                    deferred_.next_ != &deferred_ || stopped_;
  if (busy) timeout = Duration::zero();
  if (const Time next = in.timers.next(); timeout > Duration::zero() && next != Time::max()) {
    // now_ is that of the turn's beginning: what the turn itself took is not waited for again.
    timeout = std::clamp(next - Clock::now(), Duration::zero(), timeout);
  }
  int count = 0;
  if (timeout == Duration::max() || timeout == Duration::zero()) {
    count = ::epoll_wait(in.epoll, in.events.data(), Inner::kEventsMax,
                         timeout == Duration::zero() ? 0 : -1);
  } else {
    const auto ns = timeout.count();
    if (in.nanoseconds) {
      const timespec spec{ns / 1'000'000'000, ns % 1'000'000'000};
      count = system_wait(in.epoll, in.events.data(), Inner::kEventsMax, &spec);
      if (count < 0 && errno == ENOSYS) in.nanoseconds = false;
    }
    if (!in.nanoseconds) {
      const auto ms = std::min<int64_t>((ns + 999'999) / 1'000'000, 60'000);
      count = ::epoll_wait(in.epoll, in.events.data(), Inner::kEventsMax, static_cast<int>(ms));
    }
  }
  in.event_count = std::max(count, 0);
}

void Loop::update_time() {
  now_ = Clock::now();
  timespec wall{};
  // The coarse clock: a tick behind at most, and much cheaper.
  ::clock_gettime(CLOCK_REALTIME_COARSE, &wall);
  unix_time_ = wall.tv_sec;
}

void Loop::dispatch() {
  Inner& in = *inner_;
  while (in.event_next < in.event_count) {
    const epoll_event event = in.events[static_cast<size_t>(in.event_next++)];
    if (event.data.ptr != nullptr)
      static_cast<EventSource*>(event.data.ptr)->on_events(event.events);
  }
}

bool Loop::watch(int descriptor, EventSource& source, uint32_t events, Trigger trigger) {
  epoll_event event{};
  event.events = events | (trigger == Trigger::edge ? uint32_t{EPOLLET} : 0);
  event.data.ptr = &source;
  return ::epoll_ctl(inner_->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void Loop::unregister(int descriptor) {
  ::epoll_ctl(inner_->epoll, EPOLL_CTL_DEL, descriptor, nullptr);
}

void Loop::unwatch(int descriptor, EventSource& source) {
  Inner& in = *inner_;
  unregister(descriptor);
  for (int i = in.event_next; i < in.event_count; ++i) {
    epoll_event& event = in.events[static_cast<size_t>(i)];
    if (event.data.ptr == &source) event.data.ptr = nullptr;
  }
}

void Loop::set_timer(Timer& timer) { inner_->timers.set(timer); }
void Loop::remove_timer(Timer& timer) { inner_->timers.remove(timer); }

void Loop::defer(Deferred& deferred) {
  if (deferred.pending()) return;
  deferred.next_ = &deferred_;
  deferred.previous_ = std::exchange(deferred_.previous_, &deferred);
  deferred.previous_->next_ = &deferred;
}

void Loop::run_deferred() {
  while (deferred_.next_ != &deferred_) {
    Deferred& first = *deferred_.next_;
    first.cancel();  // out of the queue first: the call may queue it again, or destroy it
    first.call_(first.argument_);
  }
}

void Loop::continue_ready() {
  if (ready_.empty()) return;
  // Those that use up this turn's budget too are appended behind `count`.
  const size_t count = ready_.size();
  for (size_t i = 0; i < count; ++i) {
    if (ready_[i] != nullptr) ready_[i]->continue_turn();
  }
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<ptrdiff_t>(count));
}

void Loop::flush_dirty() {
  for (size_t i = 0; i < dirty_.size(); ++i) {  // grows while it runs
    if (dirty_[i] != nullptr) dirty_[i]->settle_output();
    if (deferred_.next_ != &deferred_) run_deferred();
  }
  dirty_.clear();
}

void Loop::settle() {
  for (;;) {
    run_deferred();
    if (!dirty_.empty()) {
      flush_dirty();
    } else if (!disposed_.empty()) {
      // Destructors may dispose of more.
      std::vector<std::unique_ptr<Disposable>> gone;
      gone.swap(disposed_);
    } else {
      return;
    }
  }
}

void Loop::forget(Stream& stream) {
  std::ranges::replace(dirty_, &stream, nullptr);
  std::ranges::replace(ready_, &stream, nullptr);
}

char* Loop::file_buffer() {
  if (file_buffer_ == nullptr) file_buffer_ = std::make_unique_for_overwrite<char[]>(kFileChunk);
  return file_buffer_.get();
}

}  // namespace io
