// A request's body on its way to the origin, beside the coroutine that waits for the response; and
// the client's half of a tunnel.
//
// Reads the exchange's body and sends it on, as fast as the origin takes it. When the body can't be
// read to its end (framing, limits, times) the origin's connection is closed, which wakes whoever
// waits for the response. Made where the exchange's task keeps it; only that task stops it, while
// the upload is suspended.
#pragma once

#include "base/task.h"
#include "http/exchange.h"
#include "http1/client_connection.h"
#include "io/loop.h"

namespace proxy {

class Upload {
 public:
  explicit Upload(io::Loop& loop) : loop_(loop), settled_(&on_settled, this) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  void start(http::Exchange& exchange, http1::ClientConnection& connection);
  // No more is read or sent. The connection can't be used again.
  void stop();
  bool running() const { return running_; }
  http::BodyError error() const { return error_; }
  // Of the last bytes that the client sent.
  io::Time last_bytes() const { return last_bytes_; }
  // Notified when it ended by itself.
  base::Signal& over() { return over_; }

 private:
  base::Task<> pump(http::Exchange& exchange);
  static void on_done(void* self);
  static void on_settled(void* self);

  io::Loop& loop_;
  http1::ClientConnection* connection_ = nullptr;
  base::Task<> task_;
  bool running_ = false;
  http::BodyError error_ = http::BodyError::none;
  io::Time last_bytes_{};
  base::Signal over_;
  // What follows from the end happens later in the turn: the task must not be destroyed by what it
  // calls.
  io::Deferred settled_;
};

}  // namespace proxy
