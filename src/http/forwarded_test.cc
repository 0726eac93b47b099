#include "http/forwarded.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace http {
namespace {

base::Address ip(std::string_view text) { return base::Address::parse_ip(text).value(); }

const base::CidrSet& trusted() {
  static const base::CidrSet set =
      base::CidrSet::parse(std::vector<std::string>{"10.0.0.0/8", "fd00::/8", "unix"}).value();
  return set;
}

using Lines = std::vector<std::string_view>;

std::string x_forwarded_for(std::string_view peer, const Lines& lines) {
  return client_from_x_forwarded_for(ip(peer), lines, trusted()).address.to_string();
}

ForwardedClient forwarded(std::string_view peer, const Lines& lines) {
  return client_from_forwarded(ip(peer), lines, trusted());
}

TEST(ForwardedTest, S30UntrustedPeersSayNothing) {
  EXPECT_EQ(x_forwarded_for("192.0.2.9", {"1.2.3.4"}), "192.0.2.9:0");
  EXPECT_EQ(forwarded("192.0.2.9", {"for=1.2.3.4;proto=https"}).address, ip("192.0.2.9"));
  EXPECT_EQ(forwarded("192.0.2.9", {"for=1.2.3.4;proto=https"}).proto, "");
  EXPECT_FALSE(forwarded("192.0.2.9", {"for=1.2.3.4"}).from_field);
}

TEST(ForwardedTest, S30WalksFromTheRight) {
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4"}), "1.2.3.4:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"6.6.6.6, 1.2.3.4"}), "1.2.3.4:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"6.6.6.6, 1.2.3.4, 10.0.0.2"}), "1.2.3.4:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"6.6.6.6,1.2.3.4", "10.0.0.2 ,10.0.0.3"}), "1.2.3.4:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"10.0.0.5, 10.0.0.2"}), "10.0.0.5:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {}), "10.0.0.1:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"", " , "}), "10.0.0.1:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"2001:db8::1"}), "[2001:db8::1]:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"[2001:db8::1]:99"}), "[2001:db8::1]:99");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4:99"}), "1.2.3.4:99");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"::ffff:1.2.3.4"}), "1.2.3.4:0");
  EXPECT_EQ(client_from_x_forwarded_for(base::Address::unix_path(""), Lines{"1.2.3.4"}, trusted())
                .address,
            ip("1.2.3.4"));
}

TEST(ForwardedTest, S30WhatIsNoAddressEndsTheWalk) {
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4, rubbish, 10.0.0.2"}), "10.0.0.2:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4, unknown"}), "10.0.0.1:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4.5"}), "10.0.0.1:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"1.2.3.4:99999"}), "10.0.0.1:0");
  // An open quote must not swallow what the proxy adds.
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {"\"x, 1.2.3.4"}), "1.2.3.4:0");
  EXPECT_EQ(forwarded("10.0.0.1", {"for=\"x, for=1.2.3.4"}).address, ip("1.2.3.4"));
  EXPECT_EQ(forwarded("10.0.0.1", {"for=\"x", "for=1.2.3.4"}).address, ip("1.2.3.4"));
}

TEST(ForwardedTest, S30OnlySoManyHops) {
  std::string line = "1.2.3.4";
  for (std::size_t i = 1; i < kForwardedHopsMax; ++i) line += ", 10.0.0.2";
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {line}), "1.2.3.4:0");
  EXPECT_EQ(x_forwarded_for("10.0.0.1", {line + ", 10.0.0.3"}), "10.0.0.2:0");
}

TEST(ForwardedTest, ForwardedGivesProtoAndHostOfTheClientsHop) {
  const Lines lines = {"for=6.6.6.6;proto=http;host=evil",
                       "For=\"[2001:db8::1]:4711\";Proto=HTTPS;host=\"a.test:8443\", for=10.0.0.2"};
  const ForwardedClient client = forwarded("10.0.0.1", lines);
  EXPECT_EQ(client.address.to_string(), "[2001:db8::1]:4711");
  EXPECT_EQ(client.proto, "HTTPS");
  EXPECT_EQ(client.host, "a.test:8443");
  EXPECT_TRUE(client.from_field);
  EXPECT_EQ(forwarded("10.0.0.1", {"for=1.2.3.4;proto=gopher"}).proto, "");
  EXPECT_EQ(forwarded("10.0.0.1", {"proto=https"}).proto, "");
  EXPECT_EQ(forwarded("10.0.0.1", {"for=_hidden;proto=https"}).address, ip("10.0.0.1"));
}

TEST(ForwardedTest, Elements) {
  const auto element = parse_forwarded_element("for=a ; By=b;host=c;PROTO=d;secret=e").value();
  EXPECT_EQ(element.for_node, "a");
  EXPECT_EQ(element.by_node, "b");
  EXPECT_EQ(element.host, "c");
  EXPECT_EQ(element.proto, "d");
  for (const char* bad : {"for", "for=", "=a", "for=a;for=b", "for=a b", "for=\"a", "for=\"a\"b",
                          "for=\"a\\\"b\"", "for=a;;by=b", "for =a", "for=[::1]", "for=a:80"}) {
    EXPECT_FALSE(parse_forwarded_element(bad)) << bad;
  }
  EXPECT_TRUE(parse_forwarded_element("for=a;"));
}

TEST(ForwardedTest, Nodes) {
  EXPECT_EQ(parse_node("1.2.3.4:_port"), ip("1.2.3.4"));
  EXPECT_EQ(parse_node("[::1]"), ip("::1"));
  for (const char* bad :
       {"", "unknown", "_x", "1.2.3.4:", "1.2.3.4:x", "1.2.3.4:-1", "[1.2.3.4]", "[::1", "[::1]x",
        "[::1]:", "example.com", "example.com:80", ":80", "1.2.3:80"}) {
    EXPECT_FALSE(parse_node(bad)) << bad;
  }
}

std::string element(std::string_view address, std::string_view host, std::string_view proto) {
  std::string out;
  append_forwarded_element(out, base::Address::parse(address).value(), host, proto);
  return out;
}

TEST(ForwardedTest, Writes) {
  EXPECT_EQ(element("192.0.2.1", "example.com", "https"),
            "for=192.0.2.1;host=example.com;proto=https");
  EXPECT_EQ(element("[2001:db8::1]:80", "example.com:8080", "http"),
            "for=\"[2001:db8::1]\";host=\"example.com:8080\";proto=http");
  EXPECT_EQ(element("unix:/x", "", ""), "for=unknown");
  EXPECT_EQ(element("192.0.2.1", "a\"\\\r\nb", ""), "for=192.0.2.1;host=\"a\\\"\\\\b\"");
  EXPECT_TRUE(parse_forwarded_element(element("[::1]:80", "[::1]:80", "http")));
}

}  // namespace
}  // namespace http
