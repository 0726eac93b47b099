// Names to addresses over a name server of the test's own.

#include "upstream/resolver.h"

#include <gtest/gtest.h>

#include <optional>

#include "upstream/dns_fixture.h"

namespace upstream {
namespace {

using std::chrono::milliseconds;

class ResolverTest : public testing::Test {
 protected:
  struct Query {
    std::optional<Resolver::Answer> answer;
    base::Task<> task;
    std::string text() const {
      if (!answer) return "waiting";
      if (!*answer) return "error: " + answer->error();
      std::string text;
      for (const base::Address& address : ***answer) {
        if (!text.empty()) text += ' ';
        text += address.ip_string();
      }
      return text;
    }
  };

  std::unique_ptr<Query> ask(const std::string& host) {
    auto query = std::make_unique<Query>();
    query->task = wait(*query, host);
    query->task.start([](void*) {}, nullptr);
    return query;
  }
  base::Task<> wait(Query& query, std::string host) {
    query.answer = co_await resolver.resolve(host, options);
  }
  bool until(const std::function<bool()>& done) {
    return io::turn_until(loop, [&] {
      dns.serve();
      return done();
    });
  }
  std::string resolve(const std::string& host) {
    auto query = ask(host);
    EXPECT_TRUE(until([&] { return query->answer.has_value(); }));
    return query->text();
  }
  void pass(io::Duration time) {
    const io::Time end = io::Clock::now() + time;
    EXPECT_TRUE(until([&] { return io::Clock::now() >= end; }));
    loop.turn({});
  }

  io::Loop loop;
  DnsFixture dns;
  Resolver resolver{loop, dns.settings()};
  ResolveOptions options;
};

TEST_F(ResolverTest, AsksForBothFamilies) {
  dns.records["app.test"] = {{"192.0.2.1", "192.0.2.2", "2001:db8::1"}, 60};
  const std::string text = resolve("app.test");
  EXPECT_NE(text.find("192.0.2.1"), std::string::npos) << text;
  EXPECT_NE(text.find("192.0.2.2"), std::string::npos) << text;
  EXPECT_NE(text.find("2001:db8::1"), std::string::npos) << text;
}

// RFC 8305 3: a name server that never answers for one family must not delay the other.
TEST_F(ResolverTest, OneFamilyIsUsedWithoutTheOther) {
  for (const std::size_t silent : {1U, 28U}) {
    const std::string host = "silent" + std::to_string(silent) + ".test";
    dns.records[host] = {{"192.0.2.1", "2001:db8::1"}, 60};
    dns.silent_type = silent;
    const io::Time begin = io::Clock::now();
    EXPECT_EQ(resolve(host), silent == 1 ? "2001:db8::1" : "192.0.2.1");
    EXPECT_GE(io::Clock::now() - begin, Resolver::kFamilyWait - milliseconds(5));
    EXPECT_LT(io::Clock::now() - begin, milliseconds(1000));
    auto query = ask(host);
    EXPECT_TRUE(query->answer.has_value()) << "nobody waits for the other one";
  }
}

TEST_F(ResolverTest, ALateFamilyIsAdded) {
  dns.records["app.test"] = {{"192.0.2.1", "2001:db8::1"}, 60};
  dns.silent = true;
  auto query = ask("app.test");
  ASSERT_TRUE(until([&] { return dns.questions >= 4; }));  // both, and each on its own
  dns.silent = false;
  dns.silent_type = 28;
  dns.answer_kept();
  ASSERT_TRUE(until([&] { return query->answer.has_value(); }));
  EXPECT_EQ(query->text(), "192.0.2.1");
  dns.silent_type = 0;
  dns.answer_kept();
  ASSERT_TRUE(until([&] { return resolve("app.test").contains("2001:db8::1"); }));
  EXPECT_TRUE(resolve("app.test").contains("192.0.2.1"));
  EXPECT_EQ(resolver.queries(), 1U);
}

TEST_F(ResolverTest, KeepsAnswersForTheirTtl) {
  dns.records["app.test"] = {{"192.0.2.1"}, 60};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  dns.records["app.test"] = {{"192.0.2.2"}, 60};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  EXPECT_EQ(resolver.queries(), 1U);
}

TEST_F(ResolverTest, P14_AsksAgainWhenTheTtlIsOver) {
  options.ttl_min = milliseconds(50);
  dns.records["app.test"] = {{"192.0.2.1"}, 0};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  dns.records["app.test"] = {{"192.0.2.2"}, 0};
  pass(milliseconds(60));
  EXPECT_EQ(resolve("app.test"), "192.0.2.2");
}

TEST_F(ResolverTest, BoundsTtlsFromAbove) {
  options.ttl_min = options.ttl_max = milliseconds(50);
  dns.records["app.test"] = {{"192.0.2.1"}, 86'400};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  pass(milliseconds(60));
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  EXPECT_EQ(resolver.queries(), 2U);
}

TEST_F(ResolverTest, OneQueryForAllWhoAskAtOnce) {
  dns.records["app.test"] = {{"192.0.2.1"}, 60};
  auto first = ask("app.test");
  auto second = ask("app.test");
  auto third = ask("app.test");
  second.reset();  // who goes away is not resumed
  ASSERT_TRUE(until([&] { return first->answer && third->answer; }));
  EXPECT_EQ(first->text(), "192.0.2.1");
  EXPECT_EQ(third->text(), "192.0.2.1");
  EXPECT_EQ(resolver.queries(), 1U);
}

TEST_F(ResolverTest, FailuresAreToldAndRememberedForAWhile) {
  const std::string text = resolve("none.test");
  EXPECT_TRUE(text.starts_with("error: none.test: ")) << text;
  EXPECT_TRUE(resolve("none.test").starts_with("error: "));
  EXPECT_EQ(resolver.queries(), 1U);
}

TEST_F(ResolverTest, P14_KeepsTheLastGoodAnswerWhenAskingFails) {
  options.ttl_min = milliseconds(20);
  dns.records["app.test"] = {{"192.0.2.1"}, 0};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  dns.failing = true;
  pass(milliseconds(30));
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  dns.records.clear();
  dns.failing = false;
  pass(milliseconds(30));
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  EXPECT_EQ(resolver.queries(), 3U);
}

TEST_F(ResolverTest, P14_ASilentServerCostsLittleOnceThereIsAnAnswer) {
  options.ttl_min = milliseconds(20);
  dns.records["app.test"] = {{"192.0.2.1"}, 0};
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  dns.silent = true;
  pass(milliseconds(30));
  const io::Time begin = io::Clock::now();
  EXPECT_EQ(resolve("app.test"), "192.0.2.1");
  EXPECT_LT(io::Clock::now() - begin, milliseconds(2000));
  EXPECT_GE(io::Clock::now() - begin, Resolver::kStaleWait - milliseconds(5));
  auto query = ask("app.test");
  EXPECT_EQ(query->text(), "192.0.2.1") << "while that query is in progress nobody waits any more";
}

TEST_F(ResolverTest, GivesUpAfterItsTime) {
  options.timeout = milliseconds(50);
  dns.silent = true;
  EXPECT_EQ(resolve("app.test"), "error: app.test: no answer in time");
}

TEST_F(ResolverTest, KnowsLocalhost) {
  const std::string text = resolve("localhost");
  EXPECT_NE(text.find("127.0.0.1"), std::string::npos) << text;
  EXPECT_EQ(dns.questions, 0);
}

TEST_F(ResolverTest, MayEndWhileAQueryIsInProgress) {
  dns.silent = true;
  auto query = ask("app.test");
  loop.turn({});
  query.reset();
}

}  // namespace
}  // namespace upstream
