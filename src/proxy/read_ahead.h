// A response's body taken from the origin ahead of a slow client (`buffer_response`), so that the
// origin is free for others.
//
// Holds at most `size_max` bytes in memory and no file. When all has come, the lease is given back
// at once, however long the client takes. Made where the exchange's task keeps it.
#pragma once

#include <cstdint>
#include <string>

#include "base/buffer.h"
#include "base/task.h"
#include "http/body_pipe.h"
#include "http/exchange.h"
#include "io/loop.h"
#include "proxy/pool.h"
#include "proxy/upload.h"

namespace proxy {

class ReadAhead {
 public:
  ReadAhead(io::Loop& loop, Lease& lease, Upload& upload, std::uint64_t size_max)
      : loop_(loop), lease_(lease), upload_(upload), size_max_(size_max), ready_(&on_ready, this) {}
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Sends all of the body to the client. What went wrong on the origin's side, if anything.
  base::Task<http::BodyError> relay(http::Exchange& exchange);
  // In the exchange's arena.
  const http::Fields& trailers() const { return trailers_; }

 private:
  base::Task<> fill(http::Exchange& exchange);
  void wake();
  static void on_done(void* self);
  static void on_ready(void* self);

  io::Loop& loop_;
  Lease& lease_;
  Upload& upload_;
  const std::uint64_t size_max_;
  base::Buffer buffer_;
  bool ended_ = false;
  http::BodyError error_ = http::BodyError::none;
  http::Fields trailers_;
  base::Signal room_;      // for fill
  base::Signal progress_;  // for relay
  io::Deferred ready_;     // relay may end and destroy fill: never from within fill
  base::Task<> task_;
};

}  // namespace proxy
