// The event loop of one worker: descriptors, timers, messages from other threads, deferred work.
//
// One thread runs it and owns everything registered in it; only post() may be called from others.
// A turn is: wait (epoll) → events → messages → timers → deferred calls, in the order they were
// made and until none is left → flush of every stream that has new output, once each → disposal of
// what was given to dispose(). So an object given to dispose() is safe to touch until its turn
// ends, and twenty answers made in one turn leave in one send. Descriptors are registered once,
// edge-triggered, for their life: no epoll_ctl and no timer system call per request. Streams must
// be gone before their loop is.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/slice.h"
#include "io/mailbox.h"
#include "io/output_queue.h"

namespace io {

class Loop;
class Stream;
class Timer;
class TimerHeap;

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Duration = Clock::duration;  // nanoseconds

// EPOLLIN and EPOLLOUT, for who watches descriptors that aren't streams.
inline constexpr uint32_t kReadable = 0x001;
inline constexpr uint32_t kWritable = 0x004;

// Receives the epoll events of one descriptor.
class EventSource {
 public:
  virtual void on_events(uint32_t events) = 0;

 protected:
  ~EventSource() = default;
};

// What dispose() takes.
class Disposable {
 public:
  virtual ~Disposable() = default;
};

// A call to be made later in this turn. Belongs to the caller; at most once in the queue; taken
// out of it by its destructor.
class Deferred {
 public:
  Deferred(void (*call)(void*), void* argument) : call_(call), argument_(argument) {}
  ~Deferred() { cancel(); }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;
  void cancel();
  bool pending() const { return previous_ != nullptr; }

 private:
  friend class Loop;
  void (*call_)(void*);
  void* argument_;
  Deferred* next_ = nullptr;  // circular list with a sentinel in the loop
  Deferred* previous_ = nullptr;
};

class Loop {
 public:
  // What one recv asks for: large enough that a bulk transfer spends its time in copying, small
  // enough that what is read, decrypted and sent on stays in a core's second-level cache.
  static constexpr size_t kReadSize = 128 * 1024;
  // What a file is read by, on its way through a security layer; the same reason.
  static constexpr size_t kFileChunk = 64 * 1024;

  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop() was called; the turn ends first.
  void run();
  void stop() { stopped_ = true; }
  // One turn that waits at most `timeout`: for tests.
  void turn(Duration timeout);

  // Monotonic time and wall clock (unix seconds), read once a turn.
  Time now() const { return now_; }
  int64_t unix_time() const { return unix_time_; }
  // Reads both clocks again: after long work within a turn.
  void update_time();

  // From any thread: has `call` run on the loop's thread. False when the loop has ended.
  bool post(std::move_only_function<void()> call) { return mailbox_->post(std::move(call)); }
  // The same for who may outlive the loop: keeps its door, not the loop.
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  void defer(Deferred& deferred);
  void dispose(std::unique_ptr<Disposable> object) { disposed_.push_back(std::move(object)); }

  // Registers for edge-triggered events (EPOLLIN | EPOLLOUT | EPOLLRDHUP …), or level-triggered
  // ones where not every event is to be used up at once. False with errno on failure.
  enum class Trigger : unsigned char { edge, level };
  bool watch(int descriptor, EventSource& source, uint32_t events, Trigger trigger = Trigger::edge);
  // Before the descriptor is closed: closing alone removes nothing while a child between fork and
  // exec shares it. Also drops events of `source` that were already fetched.
  void unwatch(int descriptor, EventSource& source);

  base::BlockPool& blocks() { return blocks_; }
  // Scratch of kReadSize bytes, valid until the next use of it: bytes just read from a socket.
  char* read_buffer() { return read_buffer_.get(); }
  // Scratch for decrypted bytes and for encrypted output on its way to a socket.
  base::Buffer& plain_scratch() { return plain_scratch_; }
  base::Buffer& wire_scratch() { return wire_scratch_; }

 private:
  friend class Stream;
  friend class Timer;
  friend class Linger;
  void set_timer(Timer& timer);
  void remove_timer(Timer& timer);
  // Has the stream flushed at the end of this turn, or continued in the next.
  void add_dirty(Stream& stream) { dirty_.push_back(&stream); }
  void add_ready(Stream& stream) { ready_.push_back(&stream); }
  void forget(Stream& stream);
  void unregister(int descriptor);
  uint32_t turn_number() const { return turn_number_; }
  // For cleartext files and encrypted ones: kFileChunk bytes, made at first use.
  char* file_buffer();

  void wait(Duration timeout);
  void dispatch();
  void continue_ready();
  void run_deferred();
  void flush_dirty();
  // Deferred calls, flushes and disposals until none is left.
  void settle();

  struct Inner;  // what only loop.cc and linger.cc touch
  std::unique_ptr<Inner> inner_;
  std::shared_ptr<Mailbox> mailbox_;
  Time now_{};
  int64_t unix_time_ = 0;
  uint32_t turn_number_ = 0;
  bool stopped_ = false;
  Deferred deferred_{nullptr, nullptr};  // the sentinel of a circular list
  std::vector<Stream*> dirty_;
  std::vector<Stream*> ready_;
  std::vector<std::unique_ptr<Disposable>> disposed_;
  base::BlockPool blocks_;
  OutputPool output_pool_{blocks_};
  std::unique_ptr<char[]> read_buffer_;
  std::unique_ptr<char[]> file_buffer_;
  base::Buffer plain_scratch_;
  base::Buffer wire_scratch_;
};

}  // namespace io
