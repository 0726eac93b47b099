// Signals as events of a loop (signalfd): SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2.
//
// block() stands at the beginning of main, before any thread is made, for threads inherit what is
// blocked; SIGPIPE is ignored from then on. One Signals lives on the main thread's loop, which
// hands on to the workers by messages. Without it the blocked signals are never delivered.
#pragma once

#include <csignal>
#include <cstdint>

#include "io/loop.h"

namespace io {

class SignalUser {
 public:
  virtual void on_signal(int signal) = 0;

 protected:
  ~SignalUser() = default;
};

class Signals final : public EventSource {
 public:
  static void block();
  // For a child before it runs another program: signals as a program expects to find them.
  static void unblock();

  Signals(Loop& loop, SignalUser& user);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  void on_events(uint32_t events) override;

 private:
  Loop& loop_;
  SignalUser& user_;
  int descriptor_;
};

}  // namespace io
