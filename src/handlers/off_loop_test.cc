#include "handlers/off_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>

#include "base/task.h"

namespace handlers {
namespace {

struct Sum {
  int a = 0, b = 0, result = 0;
  std::shared_ptr<int> held;
};

struct World {
  io::Loop loop;
  std::unique_ptr<Sum> answer;

  base::Task<> ask(io::HelperPool& pool, std::unique_ptr<Sum> sum) {
    answer = co_await off_loop(pool, loop, std::move(sum), [](Sum& s) { s.result = s.a + s.b; });
  }
  bool until(const std::function<bool()>& done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      loop.turn(std::chrono::milliseconds(20));
    }
    return true;
  }
};

TEST(OffLoop, TheStateComesBackWithWhatTheWorkMadeOfIt) {
  World world;
  io::HelperPool pool;
  auto task = world.ask(pool, std::make_unique<Sum>(Sum{.a = 40, .b = 2, .result = 0, .held = {}}));
  task.start(nullptr, nullptr);
  EXPECT_FALSE(task.done());
  ASSERT_TRUE(world.until([&] { return task.done(); }));
  ASSERT_NE(world.answer, nullptr);
  EXPECT_EQ(world.answer->result, 42);
}

TEST(OffLoop, AFullQueueIsToldAtOnce) {
  World world;
  io::HelperPool pool(1, 0);
  auto held = std::make_shared<int>(0);
  world.answer = std::make_unique<Sum>();
  auto task =
      world.ask(pool, std::make_unique<Sum>(Sum{.a = 1, .b = 1, .result = 0, .held = held}));
  task.start(nullptr, nullptr);
  EXPECT_TRUE(task.done());
  EXPECT_EQ(world.answer, nullptr);
  EXPECT_EQ(held.use_count(), 1) << "and the state is gone";
}

// The client went away: the work goes on with a state of its own, which ends on the loop.
TEST(OffLoop, TheTaskMayBeDestroyedWhileTheWorkRuns) {
  World world;
  io::HelperPool pool(1);
  std::promise<void> gate;
  ASSERT_TRUE(
      pool.submit(world.loop, [opened = gate.get_future().share()] { opened.wait(); }, [] {}));
  auto held = std::make_shared<int>(0);
  {
    auto task =
        world.ask(pool, std::make_unique<Sum>(Sum{.a = 1, .b = 1, .result = 0, .held = held}));
    task.start(nullptr, nullptr);
  }
  EXPECT_EQ(held.use_count(), 2) << "the work that waits needs it";
  gate.set_value();
  ASSERT_TRUE(world.until([&] { return held.use_count() == 1; }));
  EXPECT_EQ(world.answer, nullptr);
}

}  // namespace
}  // namespace handlers
