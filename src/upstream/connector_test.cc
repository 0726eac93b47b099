// Connecting: races of addresses, failures, times.

#include "upstream/connector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "upstream/dns_fixture.h"
#include "upstream/registry.h"

namespace upstream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ConnectorTest : public testing::Test {
 protected:
  // Connects to the only endpoint of a group.
  void connect(const EndpointOptions& endpoint, io::Duration timeout = seconds(5)) {
    options.name = "app";
    options.endpoints = {endpoint};
    group = std::make_shared<Group>(options, nullptr, nullptr);
    result.reset();
    task = run(timeout);
    task.start([](void*) {}, nullptr);
  }
  base::Task<> run(io::Duration timeout) {
    result = co_await connector.connect(*group->members()->front().endpoint, *group, timeout,
                                        std::make_shared<tls::SessionSlot>());
  }
  bool settled() {
    return io::turn_until(loop, [&] {
      dns.serve();
      return result.has_value();
    });
  }
  EndpointOptions at(const base::Address& address) {
    EndpointOptions endpoint;
    endpoint.id = "http://" + address.to_string();
    endpoint.address = address;
    return endpoint;
  }
  EndpointOptions named(const std::string& host, std::uint16_t port) {
    EndpointOptions endpoint;
    endpoint.id = "http://" + host;
    endpoint.host = host;
    endpoint.port = port;
    return endpoint;
  }

  io::Loop loop;
  DnsFixture dns;
  Resolver resolver{loop, dns.settings()};
  Connector connector{loop, resolver};
  GroupOptions options;
  std::shared_ptr<Group> group;
  std::optional<Connector::Result> result;
  base::Task<> task;
};

// A listening socket whose queue is full: connecting to it neither succeeds nor fails.
class FullListener {
 public:
  explicit FullListener(const base::Address& at = base::Address::ipv4(0x7f000001, 0))
      : listening_(at, 0) {
    for (int i = 0; i < 3; ++i) {
      waiting_.push_back(io::Stream::connect(loop_, listening_.address(), user_));
    }
    io::turn_some(loop_);
  }
  const base::Address& address() const { return listening_.address(); }

 private:
  io::ListeningPeer listening_;
  io::Loop loop_;
  io::RecordingUser user_;
  std::vector<io::Stream::Pointer> waiting_;
};

// One that doesn't answer and one that does, at two addresses with the same port.
struct FullAndGood {
  std::unique_ptr<FullListener> full;
  std::unique_ptr<io::ListeningPeer> good;
  std::uint16_t port() const { return full->address().port(); }
};

// The kernel chooses a port that is free at one address; somebody may have it at the other.
FullAndGood on_one_port(const base::Address& full_at, const base::Address& good_at) {
  for (int tries_left = 20;; --tries_left) {
    FullAndGood both{std::make_unique<FullListener>(full_at), nullptr};
    try {
      both.good = std::make_unique<io::ListeningPeer>(good_at.with_port(both.port()));
      return both;
    } catch (const std::runtime_error&) {
      if (tries_left == 0) throw;
    }
  }
}

TEST_F(ConnectorTest, ConnectsToAnAddress) {
  io::ListeningPeer origin;
  connect(at(origin.address()));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->address, origin.address());
  (*result)->stream->set_user(nullptr);
}

TEST_F(ConnectorTest, ConnectsToAUnixSocket) {
  const auto path = base::Address::unix_path("@webship-connector-test-" +
                                             std::to_string(reinterpret_cast<uintptr_t>(this)));
  io::ListeningPeer origin(path);
  connect(at(path));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(result->has_value()) << result->error().detail;
}

TEST_F(ConnectorTest, P01_RefusedIsAFailureWithItsAddress) {
  const base::Address address = io::refusing_address();
  connect(at(address));
  ASSERT_TRUE(settled());
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error().kind, ConnectError::Kind::failed);
  EXPECT_NE(result->error().detail.find(address.to_string()), std::string::npos);
}

TEST_F(ConnectorTest, P01_NeitherAcceptedNorRefusedIsATimeout) {
  FullListener full;
  connect(at(full.address()), milliseconds(50));
  ASSERT_TRUE(settled());
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error().kind, ConnectError::Kind::timeout);
}

TEST_F(ConnectorTest, UnresolvedNamesSaySo) {
  connect(named("none.test", 80));
  ASSERT_TRUE(settled());
  ASSERT_FALSE(result->has_value());
  EXPECT_EQ(result->error().kind, ConnectError::Kind::unresolved);
}

TEST_F(ConnectorTest, ARefusedAddressLeadsToTheNextAtOnce) {
  io::ListeningPeer origin;
  // Nobody listens on [::1] at that port, so far as anybody can know.
  dns.records["app.test"] = {{"127.0.0.1", "127.0.0.2"}, 60};
  io::ListeningPeer second(base::Address::ipv4(0x7f000002, 0));
  const std::uint16_t port = second.port();
  const io::Time begin = io::Clock::now();
  connect(named("app.test", port));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(result->has_value()) << result->error().detail;
  EXPECT_EQ((*result)->address, second.address());
  EXPECT_LT(io::Clock::now() - begin, Connector::kStagger);
}

// RFC 8305: a family that doesn't answer costs 250 ms, not the connect timeout, and is tried last
// from then on.
TEST_F(ConnectorTest, HappyEyeballsAnAddressThatDoesNotAnswerIsOvertaken) {
  const FullAndGood both =
      on_one_port(base::Address::ipv4(0x7f000001, 0), base::Address::ipv4(0x7f000002, 0));
  dns.records["app.test"] = {{"127.0.0.1", "127.0.0.2"}, 60};
  // Turns are taken: one of the first two begins with the dead one.
  bool waited = false;
  for (int i = 0; i < 2; ++i) {
    const io::Time begin = io::Clock::now();
    connect(named("app.test", both.port()));
    ASSERT_TRUE(settled());
    ASSERT_TRUE(result->has_value()) << result->error().detail;
    EXPECT_EQ((*result)->address, both.good->address());
    waited = waited || io::Clock::now() - begin >= Connector::kStagger;
  }
  EXPECT_TRUE(waited);
}

// The same between families: whichever is dead costs no more than that, whichever comes first.
TEST_F(ConnectorTest, HappyEyeballsBetweenFamilies) {
  const base::Address loopback4 = base::Address::ipv4(0x7f000001, 0);
  const base::Address loopback6 = *base::Address::parse_ip("::1");
  dns.records["app.test"] = {{"::1", "127.0.0.1"}, 60};
  for (const bool dead6 : {true, false}) {
    SCOPED_TRACE(dead6 ? "IPv6 does not answer" : "IPv4 does not answer");
    const FullAndGood both =
        dead6 ? on_one_port(loopback6, loopback4) : on_one_port(loopback4, loopback6);
    // Overtaken once, it is tried last.
    io::Duration fastest = seconds(5);
    for (int i = 0; i < 4; ++i) {
      const io::Time begin = io::Clock::now();
      connect(named("app.test", both.port()));
      ASSERT_TRUE(settled());
      ASSERT_TRUE(result->has_value()) << result->error().detail;
      EXPECT_EQ((*result)->address, both.good->address());
      const io::Duration took = io::Clock::now() - begin;
      EXPECT_LT(took, seconds(2));
      fastest = std::min(fastest, took);
    }
    EXPECT_LT(fastest, Connector::kStagger);
  }
}

TEST_F(ConnectorTest, ADeadFamilyAndASilentNameServerForIt) {
  io::ListeningPeer good;
  dns.records["app.test"] = {{"127.0.0.1", "::1"}, 60};
  dns.silent_type = 28;
  const io::Time begin = io::Clock::now();
  connect(named("app.test", good.port()));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(result->has_value()) << result->error().detail;
  EXPECT_EQ((*result)->address, good.address());
  EXPECT_LT(io::Clock::now() - begin, milliseconds(1000));
}

TEST_F(ConnectorTest, AllAddressesRefusedIsOneFailureWithAllOfThem) {
  const std::uint16_t port = io::refusing_address().port();
  dns.records["app.test"] = {{"127.0.0.1", "127.0.0.3"}, 60};
  connect(named("app.test", port));
  ASSERT_TRUE(settled());
  ASSERT_FALSE(result->has_value());
  EXPECT_NE(result->error().detail.find("127.0.0.1"), std::string::npos);
  EXPECT_NE(result->error().detail.find("127.0.0.3"), std::string::npos);
}

TEST_F(ConnectorTest, MayBeGivenUp) {
  FullListener full;
  connect(at(full.address()));
  loop.turn({});
  task = {};
  loop.turn({});
}

}  // namespace
}  // namespace upstream
