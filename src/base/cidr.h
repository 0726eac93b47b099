// Networks (CIDR) and sets of networks.
//
// For what the configuration lists: trusted proxies, allowed and denied clients. Compared are IP
// addresses without port and scope; addresses mapped into IPv6 are IPv4 (base/address.h), and a
// network of such addresses is a network of IPv4.
// Immutable once made; any thread. RFC 4632, RFC 4291 2.3.
// Invariant: the ranges of a set ascend and are disjoint.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"

namespace base {

// A network: an address and how many of its leading bits count.
class Cidr {
 public:
  // `10.0.0.0/8`, `fd00::/8`, or one address. Bits beyond the prefix are an error, for they are
  // nearly always a typing mistake that would open or close more than was meant.
  static std::expected<Cidr, std::string> parse(std::string_view text);

  bool contains(const Address& address) const;
  int prefix_size() const { return prefix_size_; }
  const Address& network() const { return network_; }
  std::string to_string() const;

  bool operator==(const Cidr&) const = default;

 private:
  Address network_;
  int prefix_size_ = 0;
};

// Networks, ready to be asked. Overlapping ones are merged into disjoint ranges when it is made, so
// that contains() is one binary search and allocates nothing.
class CidrSet {
 public:
  CidrSet() = default;
  explicit CidrSet(std::span<const Cidr> networks);

  // Each a Cidr, or `unix` for peers on unix sockets. The error names the entry.
  static std::expected<CidrSet, std::string> parse(std::span<const std::string> entries);

  bool contains(const Address& address) const;
  bool empty() const { return ipv4_first_.empty() && ipv6_first_.empty() && !unix_; }
  void set_unix(bool included) { unix_ = included; }

  bool operator==(const CidrSet&) const = default;

 private:
  // 128-bit value of an IPv6 address.
  struct Wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const Wide&) const = default;
  };
  static Wide wide(const IpBytes& ip);

  // Range i is first[i] … last[i]; both ascend.
  std::vector<std::uint32_t> ipv4_first_, ipv4_last_;
  std::vector<Wide> ipv6_first_, ipv6_last_;
  bool unix_ = false;
};

}  // namespace base
