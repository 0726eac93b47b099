#include "base/address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <string>

namespace base {
namespace {

std::string reparsed(std::string_view text) {
  const auto address = Address::parse(text);
  return address ? address->to_string() : "error: " + address.error();
}

TEST(AddressTest, ReadsAndWrites) {
  EXPECT_EQ(reparsed("127.0.0.1:80"), "127.0.0.1:80");
  EXPECT_EQ(reparsed("[::1]:80"), "[::1]:80");
  EXPECT_EQ(reparsed("[2001:DB8:0:0:0:0:0:1]:443"), "[2001:db8::1]:443");
  EXPECT_EQ(reparsed(":8080"), ":8080");
  EXPECT_EQ(reparsed("*:8080"), ":8080");
  EXPECT_EQ(reparsed("unix:/run/x.sock"), "unix:/run/x.sock");
  EXPECT_EQ(reparsed("unix:@name"), "unix:@name");
  EXPECT_EQ(reparsed("10.0.0.1"), "10.0.0.1:0");
  EXPECT_EQ(reparsed("::1"), "[::1]:0");
  EXPECT_EQ(reparsed("[::1]"), "[::1]:0");
  EXPECT_EQ(reparsed("[fe80::1%3]:80"), "[fe80::1%3]:80");
  EXPECT_EQ(Address::parse("[::1]:80")->ip_string(), "::1");
  EXPECT_EQ(Address::parse("1.2.3.4:80")->ip_string(), "1.2.3.4");
  EXPECT_EQ(Address().to_string(), "");
}

TEST(AddressTest, MappedIpv4IsIpv4) {
  EXPECT_EQ(reparsed("[::ffff:10.0.0.1]:80"), "10.0.0.1:80");
  EXPECT_EQ(Address::parse_ip("::ffff:a00:1"), Address::parse_ip("10.0.0.1"));
  sockaddr_storage storage;
  const Address address = *Address::parse("10.0.0.1:80");
  EXPECT_EQ(address.to_sockaddr(storage), sizeof(sockaddr_in));
}

TEST(AddressTest, Refuses) {
  for (const char* bad : {"",
                          ":",
                          "80",
                          "localhost:80",
                          "1.2.3:80",
                          "1.2.3.4.5",
                          "01.2.3.4",
                          "1.2.3.256",
                          "1.2.3.4:",
                          "1.2.3.4:65536",
                          "1.2.3.4:-1",
                          "1.2.3.4:+1",
                          "1.2.3.4: 80",
                          "[::1",
                          "[::1]80",
                          "[1.2.3.4]:80",
                          "::1:80:",
                          "[::1]:",
                          "[]:80",
                          "unix:",
                          "unix:x",
                          "[fe80::1%eth0]:80",
                          "1.2.3.4 ",
                          "*"}) {
    EXPECT_FALSE(Address::parse(bad)) << bad;
  }
  EXPECT_FALSE(Address::parse("unix:/" + std::string(108, 'x')));
  EXPECT_TRUE(Address::parse("unix:/" + std::string(106, 'x')));
  for (const char* bad : {"", "[::1]", "1.2.3.4:80", "1.2.3.4.", ":", ":::", "g::1", "1", "::1 ",
                          "0x7f.1", "127.1", "%1", "::%", "::1%99999999999"}) {
    EXPECT_FALSE(Address::parse_ip(bad)) << bad;
  }
  EXPECT_FALSE(Address::parse_ip(std::string_view("::1\0", 4)));
  EXPECT_EQ(Address::parse("1.2.3.4:x").error(), "'x' is not a port; ports are 0 to 65535");
  EXPECT_EQ(Address::parse("a:b:c").error(),
            "'a:b:c' has several colons; write an IPv6 address like [::1]:80");
}

TEST(AddressTest, SockaddrRoundTrip) {
  for (const char* text :
       {"127.0.0.1:80", "[2001:db8::1]:443", "[fe80::1%3]:1", "unix:/run/x.sock", "unix:@name"}) {
    const Address address = *Address::parse(text);
    sockaddr_storage storage;
    const socklen_t size = address.to_sockaddr(storage);
    EXPECT_EQ(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&storage), size), address) << text;
  }
  sockaddr_storage storage;
  EXPECT_EQ(Address().to_sockaddr(storage), 0u);
  EXPECT_FALSE(Address::from_sockaddr(nullptr, 0));
  const socklen_t size = Address::dual(80).to_sockaddr(storage);
  EXPECT_EQ(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&storage), size)->to_string(),
            "[::]:80");
  EXPECT_FALSE(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&storage), size - 8));
  storage.ss_family = AF_UNIX;
  EXPECT_EQ(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&storage), sizeof(sa_family_t)),
            Address::unix_path(""));
}

TEST(AddressTest, Kinds) {
  EXPECT_TRUE(Address::parse_ip("127.9.9.9")->is_loopback());
  EXPECT_TRUE(Address::parse_ip("::1")->is_loopback());
  EXPECT_TRUE(Address::unix_path("/x").is_loopback());
  EXPECT_FALSE(Address::parse_ip("::2")->is_loopback());
  EXPECT_FALSE(Address::parse_ip("128.0.0.1")->is_loopback());
  EXPECT_TRUE(Address::dual(80).is_unspecified());
  EXPECT_TRUE(Address::parse_ip("0.0.0.0")->is_unspecified());
  EXPECT_EQ(Address::parse_ip("1.2.3.4")->ipv4_value(), 0x01020304u);
}

TEST(AddressTest, HashesAndCompares) {
  const HashKey key{1, 2};
  const Address a = *Address::parse("10.0.0.1:80");
  const Address b = *Address::parse("10.0.0.1:81");
  EXPECT_NE(a, b);
  EXPECT_EQ(a, b.with_port(80));
  EXPECT_NE(a.hash(key), b.hash(key));
  EXPECT_EQ(a.hash(key, false), b.hash(key, false));
  EXPECT_NE(a.hash(key), a.hash(HashKey{}));
}

TEST(HostPortTest, Splits) {
  EXPECT_EQ(split_host_port("localhost:3000")->host, "localhost");
  EXPECT_EQ(split_host_port("localhost:3000")->port, 3000);
  EXPECT_EQ(split_host_port("localhost")->port, std::nullopt);
  EXPECT_EQ(split_host_port("[::1]:80")->host, "::1");
  EXPECT_EQ(split_host_port("::1")->host, "::1");
  EXPECT_FALSE(split_host_port("localhost:"));
  EXPECT_FALSE(split_host_port("localhost:http"));
}

}  // namespace
}  // namespace base
