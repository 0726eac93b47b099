#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace base {
namespace {

TEST(RandomTest, IsXoshiro256StarStar) {
  // Reference values of the published algorithm for the state {1, 2, 3, 4}.
  Random random({1, 2, 3, 4});
  EXPECT_EQ(random.next(), 11520u);
  EXPECT_EQ(random.next(), 0u);
  EXPECT_EQ(random.next(), 1509978240u);
  EXPECT_EQ(random.next(), 1215971899390074240u);
}

TEST(RandomTest, BelowStaysBelow) {
  Random random({5, 6, 7, 8});
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(7));
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(*seen.rbegin(), 6u);
  for (int i = 0; i < 1000; ++i) {
    const double unit = random.unit();
    ASSERT_TRUE(unit >= 0 && unit < 1);
  }
}

TEST(RandomTest, IdsAreHexAndDiffer) {
  Random random({0, 0, 0, 0});
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = random.id();
    EXPECT_EQ(id.size(), Random::kIdSize);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 1000u);
}

}  // namespace
}  // namespace base
