// Ends a tunnel in which nothing has moved in either direction for too long.
//
// A time is noted per read, no timer set: the timer looks at the times when it comes up. Once one
// side has ended, the other has the shorter of the two times. Lives in the frame of the exchange's
// task.
#pragma once

#include <algorithm>

#include "http1/client_connection.h"
#include "io/timer.h"
#include "proxy/upload.h"

namespace proxy {

class TunnelWatch {
 public:
  TunnelWatch(io::Loop& loop, http1::ClientConnection& connection, Upload& upload,
              io::Duration idle_timeout, io::Duration half_closed_timeout)
      : loop_(loop),
        connection_(connection),
        upload_(upload),
        idle_timeout_(idle_timeout),
        half_closed_timeout_(std::min(idle_timeout, half_closed_timeout)),
        last_(loop.now()),
        timer_(loop, &on_timer, this) {
    timer_.set_after(idle_timeout_);
  }

  void touch() { last_ = loop_.now(); }
  void half_closed() {
    idle_timeout_ = half_closed_timeout_;
    touch();
    timer_.set_after(idle_timeout_);
  }

 private:
  static void on_timer(void* self) {
    auto& watch = *static_cast<TunnelWatch*>(self);
    const io::Time end = std::max(watch.last_, watch.upload_.last_bytes()) + watch.idle_timeout_;
    if (watch.loop_.now() < end) return watch.timer_.set(end);
    // Either may end the tunnel, and the watch with it.
    if (watch.upload_.over().awaited()) return watch.upload_.over().notify();
    watch.connection_.close();
  }

  io::Loop& loop_;
  http1::ClientConnection& connection_;
  Upload& upload_;
  io::Duration idle_timeout_;
  const io::Duration half_closed_timeout_;
  io::Time last_;
  io::Timer timer_;
};

}  // namespace proxy
