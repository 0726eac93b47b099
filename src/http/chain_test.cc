#include "http/chain.h"

#include <gtest/gtest.h>

#include <string>

#include "http/fake_carrier.h"

namespace http {
namespace {

// Notes its name; suspends where it has a signal; answers where it has a status.
struct Step : Filter {
  Step(std::string& trace, char name, base::Signal* signal = nullptr, int status = 0)
      : trace_(trace), name_(name), signal_(signal), status_(status) {}
  FilterOutcome filter(Exchange& exchange) override {
    if (signal_ != nullptr) return wait(exchange);
    return act(exchange);
  }
  base::Task<Verdict> wait(Exchange& exchange) {
    co_await signal_->wait();
    co_return act(exchange);
  }
  Verdict act(Exchange& exchange) {
    trace_ += name_;
    if (status_ == 0) return Verdict::next;
    exchange.respond(status_);
    return Verdict::answered;
  }
  std::string& trace_;
  char name_;
  base::Signal* signal_;
  int status_;
};

struct Last : Handler {
  explicit Last(std::string& trace) : trace_(trace) {}
  Outcome handle(Exchange& exchange) override {
    trace_ += 'h';
    exchange.respond(204);
    return {};
  }
  std::string& trace_;
};

// What a route does, as a handler, so that the fake can start its task.
struct Whole : Handler {
  Outcome handle(Exchange& exchange) override { return run_chain(site, chain, exchange); }
  std::vector<std::unique_ptr<Filter>> site;
  Chain chain;
};

struct ChainTest : testing::Test {
  ChainTest() { whole.chain.handler = std::make_unique<Last>(trace); }
  void site(char name, base::Signal* wait = nullptr, int status = 0) {
    whole.site.push_back(std::make_unique<Step>(trace, name, wait, status));
  }
  void route(char name, base::Signal* wait = nullptr, int status = 0) {
    whole.chain.filters.push_back(std::make_unique<Step>(trace, name, wait, status));
  }
  std::string trace;
  Whole whole;
  base::Signal signal;
  FakeExchange fake{"GET", "/"};
};

TEST_F(ChainTest, RunsInOrder) {
  site('a');
  route('b');
  fake.handle(whole);
  EXPECT_TRUE(fake.done());
  EXPECT_EQ(trace, "abh");
  EXPECT_EQ(fake.carrier.status, 204);
}

TEST_F(ChainTest, StopsWhereAFilterAnswers) {
  site('a', nullptr, 403);
  route('b');
  fake.handle(whole);
  EXPECT_EQ(trace, "a");
  EXPECT_EQ(fake.carrier.status, 403);
}

TEST_F(ChainTest, GoesOnAfterASuspension) {
  site('a');
  site('b', &signal);
  route('c');
  fake.handle(whole);
  EXPECT_FALSE(fake.done());
  EXPECT_EQ(trace, "a");
  signal.notify();
  EXPECT_TRUE(fake.done());
  EXPECT_EQ(trace, "abch");
}

TEST_F(ChainTest, ASuspendedFilterMayAnswer) {
  route('a', &signal, 401);
  route('b');
  fake.handle(whole);
  signal.notify();
  EXPECT_EQ(trace, "a");
  EXPECT_EQ(fake.carrier.status, 401);
}

}  // namespace
}  // namespace http
