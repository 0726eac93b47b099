#include "base/cidr.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"

namespace base {
namespace {

Address ip(std::string_view text) { return Address::parse_ip(text).value(); }

TEST(CidrTest, ReadsAndContains) {
  const Cidr ten = *Cidr::parse("10.0.0.0/8");
  EXPECT_TRUE(ten.contains(ip("10.255.255.255")));
  EXPECT_TRUE(ten.contains(ip("::ffff:10.1.2.3")));
  EXPECT_FALSE(ten.contains(ip("11.0.0.0")));
  EXPECT_FALSE(ten.contains(ip("a00::")));
  EXPECT_TRUE(Cidr::parse("0.0.0.0/0")->contains(ip("255.255.255.255")));
  EXPECT_FALSE(Cidr::parse("0.0.0.0/0")->contains(ip("::1")));
  EXPECT_TRUE(Cidr::parse("192.0.2.1")->contains(ip("192.0.2.1").with_port(80)));
  EXPECT_TRUE(Cidr::parse("fe80::/10")->contains(ip("febf::1%2")));
  EXPECT_FALSE(Cidr::parse("fe80::/10")->contains(ip("fec0::1")));
  EXPECT_EQ(Cidr::parse("::ffff:10.0.0.0/104")->to_string(), "10.0.0.0/8");
}

TEST(CidrTest, Refuses) {
  for (const char* bad : {"", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129",
                          "10.0.0/8", "example.com", "10.0.0.0 /8", "::ffff:10.0.0.0/95"}) {
    EXPECT_FALSE(Cidr::parse(bad)) << bad;
  }
  EXPECT_EQ(Cidr::parse("10.1.2.3/8").error(),
            "'10.1.2.3/8' has bits beyond its prefix; write 10.0.0.0/8 or 10.1.2.3");
}

TEST(CidrSetTest, MergesAndContains) {
  const std::vector<std::string> entries = {"10.0.0.0/8", "10.1.0.0/16", "192.0.2.1",
                                            "fd00::/8",   "0.0.0.0/32",  "255.255.255.255",
                                            "unix"};
  const CidrSet set = *CidrSet::parse(entries);
  for (const char* inside : {"10.0.0.0", "10.255.255.255", "10.1.2.3", "192.0.2.1",
                             "fdff::", "0.0.0.0", "255.255.255.255"}) {
    EXPECT_TRUE(set.contains(ip(inside))) << inside;
  }
  for (const char* outside : {"9.255.255.255", "11.0.0.0", "192.0.2.0", "192.0.2.2",
                              "fe00::", "fcff::", "0.0.0.1", "::1"}) {
    EXPECT_FALSE(set.contains(ip(outside))) << outside;
  }
  EXPECT_TRUE(set.contains(Address::unix_path("")));
  EXPECT_FALSE(set.contains(Address()));
  EXPECT_FALSE(CidrSet().contains(ip("10.0.0.0")));
  EXPECT_TRUE(CidrSet().empty());
  EXPECT_FALSE(CidrSet::parse(std::vector<std::string>{"10.0.0.0/8", "x"}));
}

TEST(CidrSetTest, AgreesWithItsNetworks) {
  Random random({1, 2, 3, 4});
  std::vector<Cidr> networks;
  while (networks.size() < 200) {
    const std::uint64_t prefix = 12 + random.below(21);
    const auto value =
        static_cast<std::uint32_t>(random.next() & (~std::uint64_t{0} << (32 - prefix)));
    networks.push_back(
        *Cidr::parse(Address::ipv4(value, 0).ip_string() + "/" + std::to_string(prefix)));
  }
  const CidrSet set(networks);
  for (int i = 0; i < 4000; ++i) {
    const Cidr& near = networks[random.below(networks.size())];
    const auto offset = static_cast<std::uint32_t>(random.below(1 << 16));
    const Address address = Address::ipv4(near.network().ipv4_value() + offset - 100, 0);
    bool expected = false;
    for (const Cidr& cidr : networks) expected = expected || cidr.contains(address);
    ASSERT_EQ(set.contains(address), expected) << address.to_string();
  }
}

}  // namespace
}  // namespace base
