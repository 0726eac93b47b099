#include "io/helper_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "io/stream_fixture.h"

namespace io {
namespace {

TEST(HelperPoolTest, RunsTheJobOnAnotherThreadAndTheAnswerOnTheLoops) {
  Loop loop;
  HelperPool pool;
  std::thread::id job;
  std::thread::id done;
  ASSERT_TRUE(pool.submit(
      loop, [&] { job = std::this_thread::get_id(); }, [&] { done = std::this_thread::get_id(); }));
  ASSERT_TRUE(turn_until(loop, [&] { return done != std::thread::id(); }));
  EXPECT_EQ(done, std::this_thread::get_id());
  EXPECT_NE(job, done);
}

TEST(HelperPoolTest, RefusesWhenTheQueueIsFull) {
  Loop loop;
  HelperPool pool(1, 3);
  std::promise<void> gate;
  std::promise<void> begun;
  auto opened = gate.get_future().share();
  int done = 0;
  ASSERT_TRUE(pool.submit(
      loop,
      [&] {
        begun.set_value();
        opened.wait();
      },
      [&] { ++done; }));
  begun.get_future().wait();  // under way: the queue is empty again
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pool.submit(loop, [] {}, [&] { ++done; }));
  }
  EXPECT_FALSE(pool.submit(loop, [] { FAIL(); }, [] { FAIL(); }));
  gate.set_value();
  ASSERT_TRUE(turn_until(loop, [&] { return done == 4; }));
  EXPECT_TRUE(pool.submit(loop, [] {}, [&] { ++done; }));
  ASSERT_TRUE(turn_until(loop, [&] { return done == 5; }));
}

TEST(HelperPoolTest, UsesNoMoreThreadsThanItMay) {
  Loop loop;
  HelperPool pool(3, 1000);
  std::atomic<int> at_once = 0;
  std::atomic<int> most = 0;
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(pool.submit(
        loop,
        [&] {
          const int now = ++at_once;
          int seen = most.load();
          while (seen < now && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::yield();
          --at_once;
        },
        [&] { ++done; }));
  }
  ASSERT_TRUE(turn_until(loop, [&] { return done == 200; }));
  EXPECT_LE(most.load(), 3);
}

TEST(HelperPoolTest, EndsWithJobsQueued) {
  Loop loop;
  auto held = std::make_shared<int>(0);
  {
    HelperPool pool(1, 100);
    for (int i = 0; i < 50; ++i) {
      ASSERT_TRUE(pool.submit(loop, [held] {}, [held] {}));
    }
  }
  turn_some(loop);
  EXPECT_EQ(held.use_count(), 1) << "what never ran was destroyed";
}

TEST(HelperPoolTest, TheLoopMayEndFirst) {
  HelperPool pool(1, 100);
  std::promise<void> gate;
  auto opened = gate.get_future().share();
  auto held = std::make_shared<int>(0);
  {
    Loop loop;
    ASSERT_TRUE(pool.submit(loop, [opened] { opened.wait(); }, [held] { FAIL(); }));
  }
  gate.set_value();
}

}  // namespace
}  // namespace io
