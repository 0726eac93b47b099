#include "io/timer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/stream_fixture.h"

namespace io {
namespace {

using std::chrono::milliseconds;

struct Alarm {
  Alarm(Loop& loop, std::function<void()> call)
      : run(std::move(call)),
        timer(loop, [](void* self) { static_cast<Alarm*>(self)->run(); }, this) {}
  std::function<void()> run;
  Timer timer;
};

TEST(TimerTest, ComesInTheOrderOfDeadlinesAndNeverEarly) {
  Loop loop;
  std::vector<std::unique_ptr<Alarm>> alarms;
  std::vector<int> order;
  const Time start = loop.now();
  unsigned state = 1;
  std::vector<int> delays;
  for (int i = 0; i < 200; ++i) {
    state = state * 1664525 + 1013904223;
    delays.push_back(static_cast<int>(state >> 16) % 20'000);  // microseconds
  }
  for (const int delay : delays) {
    const Time deadline = start + std::chrono::microseconds(delay);
    alarms.push_back(std::make_unique<Alarm>(loop, [&, deadline, delay] {
      EXPECT_GE(loop.now(), deadline);
      order.push_back(delay);
    }));
    alarms.back()->timer.set(deadline);
  }
  ASSERT_TRUE(turn_until(loop, [&] { return order.size() == delays.size(); }));
  std::ranges::sort(delays);
  EXPECT_EQ(order, delays);
}

TEST(TimerTest, WaitsInNanosecondsNotMilliseconds) {
  // 20 timers of 100 µs each, one after the other, take nearer to 2 ms than to 20 ms. Only the
  // lower bound is certain on a busy machine.
  Loop loop;
  int left = 20;
  std::unique_ptr<Alarm> alarm;
  alarm = std::make_unique<Alarm>(loop, [&] {
    if (--left > 0) alarm->timer.set_after(std::chrono::microseconds(100));
  });
  const Time start = Clock::now();
  alarm->timer.set_after(std::chrono::microseconds(100));
  ASSERT_TRUE(turn_until(loop, [&] { return left == 0; }));
  EXPECT_GE(Clock::now() - start, std::chrono::microseconds(2000));
}

TEST(TimerTest, PushingBackIsLazyAndExact) {
  Loop loop;
  bool rang = false;
  Alarm alarm(loop, [&] { rang = true; });
  alarm.timer.set_after(milliseconds(2));
  const Time later = loop.now() + milliseconds(20);
  alarm.timer.set(later);
  ASSERT_TRUE(turn_until(loop, [&] { return rang; }));
  EXPECT_GE(loop.now(), later);
  EXPECT_FALSE(alarm.timer.armed());
}

TEST(TimerTest, BringingForwardIsAtOnce) {
  Loop loop;
  bool rang = false;
  Alarm alarm(loop, [&] { rang = true; });
  alarm.timer.set_after(std::chrono::hours(1));
  alarm.timer.set_after(milliseconds(1));
  ASSERT_TRUE(turn_until(loop, [&] { return rang; }));
}

TEST(TimerTest, CancelledNeverRings) {
  Loop loop;
  bool rang = false;
  bool other = false;
  Alarm alarm(loop, [&] { rang = true; });
  Alarm last(loop, [&] { other = true; });
  alarm.timer.set_after(milliseconds(1));
  last.timer.set_after(milliseconds(3));
  alarm.timer.cancel();
  EXPECT_FALSE(alarm.timer.armed());
  ASSERT_TRUE(turn_until(loop, [&] { return other; }));
  EXPECT_FALSE(rang);
  alarm.timer.set_after(milliseconds(1));  // and may be set again
  ASSERT_TRUE(turn_until(loop, [&] { return rang; }));
}

TEST(TimerTest, SetAgainWhileItsCancelledEntryIsStillQueued) {
  Loop loop;
  bool rang = false;
  Alarm alarm(loop, [&] { rang = true; });
  alarm.timer.set_after(milliseconds(5));
  alarm.timer.cancel();
  alarm.timer.set_after(milliseconds(1));
  const Time start = Clock::now();
  ASSERT_TRUE(turn_until(loop, [&] { return rang; }));
  EXPECT_GE(Clock::now() - start, Duration::zero());
}

TEST(TimerTest, MayBeSetAgainCancelledAndDestroyedInCallbacks) {
  Loop loop;
  int rang = 0;
  std::unique_ptr<Alarm> doomed;
  std::unique_ptr<Alarm> self;
  bool other = false;
  doomed = std::make_unique<Alarm>(loop, [&] { FAIL() << "was destroyed"; });
  Alarm cancelled(loop, [&] { FAIL() << "was cancelled"; });
  Alarm repeating(loop, [&] {
    if (++rang < 3) repeating.timer.set_after(milliseconds(1));
  });
  self = std::make_unique<Alarm>(loop, [&] {
    doomed.reset();
    cancelled.timer.cancel();
    repeating.timer.set_after(milliseconds(1));
    other = true;
    self.reset();
  });
  self->timer.set(loop.now());
  doomed->timer.set(loop.now() + std::chrono::nanoseconds(1));
  cancelled.timer.set(loop.now() + std::chrono::nanoseconds(2));
  ASSERT_TRUE(turn_until(loop, [&] { return rang == 3 && other; }));
}

TEST(TimerTest, ATimerThatIsAlwaysDueDoesNotHoldUpTheTurn) {
  Loop loop;
  int rang = 0;
  std::unique_ptr<Alarm> alarm;
  alarm = std::make_unique<Alarm>(loop, [&] {
    ++rang;
    alarm->timer.set(loop.now());
  });
  alarm->timer.set(loop.now());
  loop.turn(Duration::zero());
  EXPECT_EQ(rang, 1);
  loop.turn(Duration::max());  // does not wait
  EXPECT_EQ(rang, 2);
}

TEST(TimerTest, ManyInAnyOrderOfSettingAndDestroying) {
  Loop loop;
  unsigned state = 7;
  const auto random = [&](unsigned below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  std::vector<std::unique_ptr<Alarm>> alarms(300);
  Time last{};
  int rang = 0;
  for (int step = 0; step < 5000; ++step) {
    auto& alarm = alarms[random(300)];
    switch (random(4)) {
      case 0:
      case 1: {
        if (alarm == nullptr) {
          alarm = std::make_unique<Alarm>(loop, [&] { ++rang; });
        }
        alarm->timer.set(loop.now() + std::chrono::microseconds(random(100'000)));
        break;
      }
      case 2:
        alarm.reset();
        break;
      default:
        if (alarm != nullptr) alarm->timer.cancel();
    }
    if (step % 100 == 0) loop.turn(Duration::zero());
  }
  // Those that are left ring in order.
  int expected = 0;
  rang = 0;
  for (auto& alarm : alarms) {
    if (alarm == nullptr || !alarm->timer.armed()) continue;
    ++expected;
    Alarm* const which = alarm.get();
    const Time deadline = alarm->timer.deadline();
    alarm->run = [&, which, deadline] {
      EXPECT_FALSE(which->timer.armed());
      EXPECT_GE(loop.now(), deadline);
      EXPECT_GE(deadline, last);
      last = deadline;
      ++rang;
    };
  }
  EXPECT_TRUE(turn_until(loop, [&] { return rang == expected; }));
}

}  // namespace
}  // namespace io
