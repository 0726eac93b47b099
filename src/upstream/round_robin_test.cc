// Balancing by turns, and what changes of a group do to it.

#include "upstream/round_robin.h"

#include <gtest/gtest.h>

#include <map>

#include "upstream/registry.h"

namespace upstream {
namespace {

using std::chrono::seconds;

GroupOptions group_of(std::initializer_list<std::pair<std::string, std::uint32_t>> endpoints) {
  GroupOptions options;
  options.name = "app";
  for (const auto& [id, weight] : endpoints) {
    EndpointOptions endpoint;
    endpoint.id = id;
    endpoint.address = base::Address::ipv4(0x7f000001, 80);
    endpoint.weight = weight;
    options.endpoints.push_back(endpoint);
  }
  return options;
}

class RoundRobinTest : public testing::Test {
 protected:
  void make(const GroupOptions& options) {
    group = std::make_shared<Group>(options, nullptr, nullptr);
    chooser = std::make_unique<RoundRobin>(group, random);
  }
  std::string pick(std::initializer_list<std::string> tried = {}) {
    std::vector<const Endpoint*> endpoints;
    for (const std::string& id : tried) endpoints.push_back(group->find(id).get());
    Endpoint* endpoint = chooser->pick({.now = now, .tried = endpoints, .hash = 0});
    return endpoint == nullptr ? "none" : endpoint->id();
  }
  std::map<std::string, int> count(int picks) {
    std::map<std::string, int> counts;
    for (int i = 0; i < picks; ++i) ++counts[pick()];
    return counts;
  }
  void eject(const std::string& id) {
    for (int i = 0; i < 3; ++i) group->find(id)->marks().failed(now, group->options().failures);
  }

  io::Time now{seconds(1000)};
  base::Random random{{1, 2, 3, 4}};
  std::shared_ptr<Group> group;
  std::unique_ptr<RoundRobin> chooser;
};

TEST_F(RoundRobinTest, TakesTurns) {
  make(group_of({{"a", 1}, {"b", 1}, {"c", 1}}));
  const std::string first = pick();
  const std::string second = pick();
  const std::string third = pick();
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  EXPECT_NE(first, third);
  for (int i = 0; i < 9; i += 3) {
    EXPECT_EQ(pick(), first);
    EXPECT_EQ(pick(), second);
    EXPECT_EQ(pick(), third);
  }
}

TEST_F(RoundRobinTest, HonoursWeights) {
  make(group_of({{"a", 5}, {"b", 2}, {"c", 1}, {"d", 0}}));
  auto counts = count(800);
  EXPECT_NEAR(counts["a"], 500, 1);
  EXPECT_NEAR(counts["b"], 200, 1);
  EXPECT_NEAR(counts["c"], 100, 1);
  EXPECT_EQ(counts.count("d"), 0U);
}

TEST_F(RoundRobinTest, PassesOverWhatWasTried) {
  make(group_of({{"a", 1000}, {"b", 1}}));
  EXPECT_EQ(pick({"a"}), "b");
  EXPECT_EQ(pick({"b"}), "a");
  EXPECT_EQ(pick({"a", "b"}), "none");
}

TEST_F(RoundRobinTest, EjectedOnesLoseTheirTurnAndComeBackWithoutABurst) {
  make(group_of({{"a", 1}, {"b", 1}, {"c", 1}}));
  eject("b");
  auto counts = count(100);
  EXPECT_EQ(counts["b"], 0);
  now += seconds(11);
  counts = count(99);
  EXPECT_NEAR(counts["b"], 33, 1);
}

// P01: all are down; each may be tried once a second, so that none is lost.
TEST_F(RoundRobinTest, P01_AllEjectedIsNoneButForOneTryASecond) {
  make(group_of({{"a", 1}, {"b", 1}}));
  eject("a");
  eject("b");
  EXPECT_EQ(pick(), "none");
  now += seconds(1);
  const std::string first = pick();
  const std::string second = pick();
  EXPECT_NE(first, "none");
  EXPECT_NE(second, "none");
  EXPECT_NE(first, second);
  EXPECT_EQ(pick(), "none");
}

TEST_F(RoundRobinTest, AGroupOfOneIgnoresMarks) {
  make(group_of({{"a", 1}}));
  eject("a");
  EXPECT_EQ(pick(), "a");
  EXPECT_EQ(pick({"a"}), "none");
}

TEST_F(RoundRobinTest, AnEmptyGroupHasNone) {
  make(group_of({}));
  EXPECT_EQ(pick(), "none");
}

TEST_F(RoundRobinTest, SeesChangesOfTheGroup) {
  make(group_of({{"a", 1}}));
  EXPECT_EQ(pick(), "a");
  auto a = group->find("a");
  group->add(group_of({{"b", 3}}).endpoints[0]);
  auto counts = count(40);
  EXPECT_NEAR(counts["b"], 30, 1);
  EXPECT_EQ(group->find("a"), a) << "what didn't change is the same";
  group->reweight("b", 0);
  EXPECT_EQ(count(10)["a"], 10);
  auto b = group->find("b");
  EXPECT_TRUE(group->remove("b"));
  EXPECT_TRUE(b->left());
  EXPECT_FALSE(group->remove("b"));
  EXPECT_FALSE(group->reweight("b", 1));
}

TEST_F(RoundRobinTest, OneEndpointAmongTenThousandChangesAlone) {
  GroupOptions options = group_of({});
  for (int i = 0; i < 10'000; ++i) {
    options.endpoints.push_back(group_of({{"e" + std::to_string(i), 1}}).endpoints[0]);
  }
  make(options);
  auto counts = count(10'000);
  EXPECT_EQ(counts.size(), 10'000U);
  auto before = group->members();
  group->reweight("e5000", 2);
  auto after = group->members();
  for (std::size_t i = 0; i < before->size(); ++i) {
    EXPECT_EQ((*before)[i].endpoint, (*after)[i].endpoint);
  }
  counts = count(10'001);
  EXPECT_EQ(counts["e5000"], 2);
}

TEST(Registry, KeepsWhatDidNotChange) {
  std::vector<GroupOptions> first = {group_of({{"a", 1}, {"b", 1}}), group_of({{"x", 1}})};
  first[1].name = "other";
  auto before = Registry::build(first, nullptr, 0);
  ASSERT_TRUE(before);
  std::vector<GroupOptions> second = first;
  second[0].endpoints.erase(second[0].endpoints.begin());
  second[0].endpoints.push_back(group_of({{"c", 1}}).endpoints[0]);
  auto after = Registry::build(second, before->get(), 0);
  ASSERT_TRUE(after);
  auto old_group = (*before)->find("app");
  auto new_group = (*after)->find("app");
  EXPECT_EQ((*before)->find("other"), (*after)->find("other"));
  EXPECT_NE(old_group, new_group);
  EXPECT_EQ(old_group->find("b"), new_group->find("b"));
  auto a = old_group->find("a");
  EXPECT_FALSE(a->left()) << "building changes nothing";
  (*after)->retire(**before);
  EXPECT_TRUE(a->left());
  EXPECT_FALSE(new_group->find("b")->left());
  EXPECT_EQ((*after)->find("none"), nullptr);
}

TEST(Registry, ReloadGoesBackToTheOptions) {
  std::vector<GroupOptions> options = {group_of({{"a", 1}})};
  auto before = Registry::build(options, nullptr, 0);
  (*before)->find("app")->reweight("a", 0);
  auto after = Registry::build(options, before->get(), 0);
  EXPECT_EQ((*after)->find("app")->members()->front().weight, 1U);
  EXPECT_EQ((*before)->find("app")->members()->front().weight, 0U);
}

// T08: a missing CA is no start, not a start without verification.
TEST(Registry, T08_SaysWhichGroupCannotBeSetUp) {
  GroupOptions options = group_of({{"a", 1}});
  options.endpoints[0].tls = true;
  options.tls.ca = "/nonexistent/ca.pem";
  auto registry = Registry::build({&options, 1}, nullptr, 0);
  ASSERT_FALSE(registry);
  EXPECT_NE(registry.error().find("app"), std::string::npos);
  EXPECT_NE(registry.error().find("/nonexistent/ca.pem"), std::string::npos);
}

}  // namespace
}  // namespace upstream
