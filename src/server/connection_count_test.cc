#include "server/connection_count.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace server {
namespace {

TEST(ConnectionCount, LetsInAsManyAsTheLimitSays) {
  ConnectionCount count;
  EXPECT_TRUE(count.enter(2));
  EXPECT_TRUE(count.enter(2));
  EXPECT_FALSE(count.enter(2));
  EXPECT_EQ(count.value(), 2u) << "who is refused is not counted";
  count.leave();
  EXPECT_TRUE(count.enter(2));
}

TEST(ConnectionCount, ALowerLimitPutsNobodyOut) {
  ConnectionCount count;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(count.enter(3));
  EXPECT_FALSE(count.enter(1));
  count.leave();
  count.leave();
  EXPECT_FALSE(count.enter(1));
  count.leave();
  EXPECT_TRUE(count.enter(1));
}

// O02: workers that accept at the same time can't pass the limit together.
TEST(ConnectionCount, O02_WorkersTogetherStayWithinTheLimit) {
  constexpr uint32_t kMax = 3;
  ConnectionCount count;
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  auto work = [&] {
    for (int entered = 0; entered < 20'000;) {
      if (!count.enter(kMax)) continue;
      ++entered;
      const int now = ++inside;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      --inside;
      count.leave();
    }
  };
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i) workers.emplace_back(work);
  for (auto& worker : workers) worker.join();
  EXPECT_LE(most, static_cast<int>(kMax));
  EXPECT_EQ(count.value(), 0u);
}

}  // namespace
}  // namespace server
