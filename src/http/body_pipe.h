// A body on its way from the connection that receives it to the coroutine that reads it.
//
// Nothing is buffered here: the producer (an HTTP/1.1, /2 or /3 connection) offers what arrived
// with push(); a waiting reader is resumed within that call and sees the producer's own bytes; when
// nobody waits push() takes nothing and the producer holds its input back. The reader must be done
// with a view before it suspends (Exchange::write consumes it within the call).
#pragma once

#include <coroutine>
#include <cstdint>
#include <string_view>
#include <utility>

#include "http/fields.h"

namespace http {

enum class BodyError : uint8_t {
  none,
  closed,     // the peer went away in the middle
  malformed,  // framing error
  timeout,    // idle too long, or slower than the minimum rate
  too_large,  // over the limit on the body's size
  reset,      // the stream was reset (HTTP/2, HTTP/3)
};

// What a read gives: bytes; or the end; or an error.
struct BodyPart {
  std::string_view bytes;
  bool end = false;
  BodyError error = BodyError::none;
  // True while there are bytes to handle: `while (auto part = co_await pipe.read())`.
  explicit operator bool() const { return !end && error == BodyError::none; }
};

class BodyPipe {
 public:
  // Told that a reader waits (resume the input) or that the reader wants no more.
  struct Producer {
    virtual void want_body() = 0;

   protected:
    ~Producer() = default;
  };

  void attach(Producer* producer) {
    producer_ = producer;
    part_ = {};
    ended_ = false;
    error_ = BodyError::none;
    trailers_.clear();
    received_ = 0;
  }
  // No body at all.
  void attach_empty() {
    attach(nullptr);
    ended_ = true;
  }

  // Producer's side.
  size_t push(std::string_view bytes) {
    if (!waiter_ || bytes.empty()) return 0;
    received_ += bytes.size();
    part_ = {bytes, false, BodyError::none};
    std::exchange(waiter_, nullptr).resume();
    return bytes.size();
  }
  void end() {
    ended_ = true;
    wake();
  }
  void fail(BodyError error) {
    if (ended_ || error_ != BodyError::none) return;
    error_ = error;
    wake();
  }
  bool awaited() const { return static_cast<bool>(waiter_); }
  // Trailers that the producer leaves before end(); framing and forwarding names are not among
  // them.
  Fields& trailers() { return trailers_; }

  // Reader's side.
  bool finished() const { return ended_; }
  BodyError error() const { return error_; }
  uint64_t received() const { return received_; }

  class Read {
   public:
    explicit Read(BodyPipe& pipe) : pipe_(pipe) {}
    Read(const Read&) = delete;
    Read& operator=(const Read&) = delete;
    ~Read() {
      if (waiting_) pipe_.waiter_ = nullptr;
    }
    bool await_ready() const { return pipe_.ended_ || pipe_.error_ != BodyError::none; }
    void await_suspend(std::coroutine_handle<> handle) {
      pipe_.waiter_ = handle;
      waiting_ = true;
      if (pipe_.producer_ != nullptr) pipe_.producer_->want_body();
    }
    BodyPart await_resume() {
      waiting_ = false;
      BodyPart part = std::exchange(pipe_.part_, {});
      if (!part.bytes.empty()) return part;
      if (pipe_.error_ != BodyError::none) return {{}, false, pipe_.error_};
      return {{}, true, BodyError::none};
    }

   private:
    BodyPipe& pipe_;
    bool waiting_ = false;
  };
  // The next bytes, valid until the reader suspends. want_body() must not resume the reader within
  // the call: the producer delivers in a later call of its own.
  Read read() { return Read(*this); }

 private:
  void wake() {
    if (waiter_) std::exchange(waiter_, nullptr).resume();
  }

  Producer* producer_ = nullptr;
  std::coroutine_handle<> waiter_;
  BodyPart part_;
  bool ended_ = true;
  BodyError error_ = BodyError::none;
  uint64_t received_ = 0;
  Fields trailers_;
};

}  // namespace http
