// The last seconds of a connection that was answered before its client had finished sending.
//
// Closing a socket with unread bytes in it makes the kernel send a reset, which can destroy the
// answer on its way (rule R0 of the attack catalogue). So the output is sent, then a FIN, and what
// still comes is read and dropped, within bounds of size and time. Owns the stream; owned by the
// loop, which keeps at most kLingeringMax and closes the oldest beyond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "io/loop.h"
#include "io/stream.h"
#include "io/timer.h"

namespace io {

class Linger final : public StreamUser, public Disposable {
 public:
  // They no longer count as anybody's connections: without a bound they would be the way around the
  // limit of connections.
  static constexpr size_t kLingeringMax = 1024;
  // Without any progress of the output that precedes the FIN.
  static constexpr Duration kSendTimeout = std::chrono::seconds(30);

  static void begin(Stream::Pointer stream, size_t size_max, Duration timeout);

  size_t on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_writable() override {}
  void on_progress() override;
  void on_drained() override;
  void on_failed(const Error& error) override;

 private:
  Linger(Stream::Pointer stream, size_t size_max, Duration timeout);
  void start();
  void on_timer();
  void finish();

  Loop& loop_;
  Stream::Pointer stream_;
  size_t left_;
  Duration timeout_;
  Timer timer_;
  uint64_t id_;
  bool drained_ = false;
  bool ended_ = false;
};

}  // namespace io
