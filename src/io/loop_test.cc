#include "io/loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "io/stream_fixture.h"
#include "io/timer.h"

namespace io {
namespace {

// A deferred call that runs a lambda.
struct Later {
  explicit Later(std::function<void()> call)
      : run(std::move(call)),
        deferred([](void* self) { static_cast<Later*>(self)->run(); }, this) {}
  std::function<void()> run;
  Deferred deferred;
};

struct Event final : EventSource {
  std::function<void(uint32_t)> run;
  void on_events(uint32_t events) override { run(events); }
};

struct Gone final : Disposable {
  explicit Gone(std::function<void()> call) : run(std::move(call)) {}
  ~Gone() override { run(); }
  std::function<void()> run;
};

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  void fill() const { EXPECT_EQ(::write(ends[1], "x", 1), 1); }
  int ends[2];
};

TEST(LoopTest, DeferredCallsRunInTheirOrderUntilNoneIsLeft) {
  Loop loop;
  std::string order;
  Later c([&] { order += 'c'; });
  Later b([&] {
    order += 'b';
    loop.defer(c.deferred);
  });
  Later a([&] { order += 'a'; });
  loop.defer(a.deferred);
  loop.defer(b.deferred);
  loop.defer(a.deferred);  // at most once in the queue
  EXPECT_TRUE(a.deferred.pending());
  loop.turn(Duration::zero());
  EXPECT_EQ(order, "abc");
  EXPECT_FALSE(a.deferred.pending());
}

TEST(LoopTest, DeferredCallsAreCancelledByTheirDestructors) {
  Loop loop;
  std::string order;
  auto b = std::make_unique<Later>([&] { order += 'b'; });
  Later a([&] {
    order += 'a';
    b.reset();
  });
  Later c([&] { order += 'c'; });
  loop.defer(a.deferred);
  loop.defer(b->deferred);
  loop.defer(c.deferred);
  loop.turn(Duration::zero());
  EXPECT_EQ(order, "ac");
}

TEST(LoopTest, TurnsInTheDocumentedOrder) {
  Loop loop;
  std::string order;
  Pipe pipe;
  Event event;
  Later later([&] { order += "deferred "; });
  event.run = [&](uint32_t) {
    order += "event ";
    loop.defer(later.deferred);
    loop.dispose(std::make_unique<Gone>([&] { order += "disposed"; }));
  };
  ASSERT_TRUE(loop.watch(pipe.ends[0], event, EPOLLIN));
  auto timer_call = [](void* text) { *static_cast<std::string*>(text) += "timer "; };
  Timer timer(loop, timer_call, &order);
  timer.set(loop.now());
  loop.post([&] { order += "message "; });
  pipe.fill();
  loop.turn(Duration::zero());
  EXPECT_EQ(order, "event message timer deferred disposed");
}

TEST(LoopTest, DisposesAtTheEndOfTheTurnEvenWhatDestructorsDispose) {
  Loop loop;
  int gone = 0;
  loop.dispose(std::make_unique<Gone>([&] {
    ++gone;
    loop.dispose(std::make_unique<Gone>([&] { ++gone; }));
  }));
  EXPECT_EQ(gone, 0);
  loop.turn(Duration::max());  // does not wait: there is work
  EXPECT_EQ(gone, 2);
}

TEST(LoopTest, UnwatchDropsEventsThatWereFetched) {
  Loop loop;
  Pipe first;
  Pipe second;
  auto a = std::make_unique<Event>();
  auto b = std::make_unique<Event>();
  int calls = 0;
  // Whichever comes first destroys the other.
  a->run = [&](uint32_t) {
    ++calls;
    loop.unwatch(second.ends[0], *b);
    b.reset();
  };
  b->run = [&](uint32_t) {
    ++calls;
    loop.unwatch(first.ends[0], *a);
    a.reset();
  };
  ASSERT_TRUE(loop.watch(first.ends[0], *a, EPOLLIN));
  ASSERT_TRUE(loop.watch(second.ends[0], *b, EPOLLIN));
  first.fill();
  second.fill();
  loop.turn(Duration::zero());
  EXPECT_EQ(calls, 1);
}

TEST(LoopTest, EdgeOrLevel) {
  Loop loop;
  for (const auto trigger : {Loop::Trigger::edge, Loop::Trigger::level}) {
    Pipe pipe;
    Event event;
    int calls = 0;
    event.run = [&](uint32_t) { ++calls; };
    ASSERT_TRUE(loop.watch(pipe.ends[0], event, EPOLLIN, trigger));
    pipe.fill();
    turn_some(loop, 3);
    EXPECT_EQ(calls, trigger == Loop::Trigger::edge ? 1 : 3);
    loop.unwatch(pipe.ends[0], event);
  }
}

TEST(LoopTest, WatchSaysWhenItCannot) {
  Loop loop;
  Event event;
  EXPECT_FALSE(loop.watch(-1, event, EPOLLIN));
  EXPECT_EQ(errno, EBADF);
}

TEST(LoopTest, MessagesFromManyThreads) {
  Loop loop;
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  int count = 0;
  std::vector<int> last(kThreads, -1);
  bool ordered = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        loop.post([&, t, i] {
          ordered = ordered && last[static_cast<size_t>(t)] == i - 1;
          last[static_cast<size_t>(t)] = i;
          if (++count == kThreads * kEach) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kEach);
  EXPECT_TRUE(ordered) << "each thread's messages keep their order";
}

TEST(LoopTest, APostWakesALoopThatWaits) {
  Loop loop;
  std::atomic<bool> ran = false;
  std::thread thread([&] {
    loop.post([&] {
      ran = true;
      loop.stop();
    });
  });
  loop.run();
  thread.join();
  EXPECT_TRUE(ran);
}

TEST(LoopTest, AMessageThatPostsComesInTheNextTurn) {
  Loop loop;
  int count = 0;
  loop.post([&] {
    ++count;
    loop.post([&] { ++count; });
  });
  loop.turn(Duration::zero());
  EXPECT_EQ(count, 1);
  loop.turn(std::chrono::seconds(10));
  EXPECT_EQ(count, 2);
}

TEST(LoopTest, AClosedDoorTakesNothing) {
  std::shared_ptr<Mailbox> mailbox;
  {
    Loop loop;
    mailbox = loop.mailbox();
    loop.post([&loop] { loop.stop(); });
    loop.run();
    EXPECT_FALSE(loop.post([] {}));
  }
  EXPECT_FALSE(mailbox->post([] {}));
}

TEST(LoopTest, WhatWasPostedAndNeverRunIsDestroyed) {
  auto held = std::make_shared<int>(1);
  {
    Loop loop;
    loop.post([held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(LoopTest, TimeIsReadOnceATurn) {
  Loop loop;
  const Time before = loop.now();
  EXPECT_EQ(loop.now(), before);
  loop.turn(std::chrono::milliseconds(2));
  EXPECT_GE(loop.now() - before, std::chrono::milliseconds(2));
  EXPECT_NEAR(static_cast<double>(loop.unix_time()), static_cast<double>(::time(nullptr)), 2.0);
}

TEST(LoopTest, DeferredThatOutliveTheirLoopAreSafe) {
  Later later([] {});
  {
    Loop loop;
    loop.defer(later.deferred);
    // The loop's end runs what is left.
  }
  EXPECT_FALSE(later.deferred.pending());
}

}  // namespace
}  // namespace io
