#include "base/cidr.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <format>
#include <utility>

#include "base/text.h"

namespace base {
namespace {

int address_bits(const Address& address) {
  return address.family() == Address::Family::kIpv4 ? 32 : 128;
}

// Sets or clears every bit after the prefix.
IpBytes fill_after(IpBytes ip, int prefix_size, bool ones) {
  for (int i = 0; i < 16; ++i) {
    const int kept = std::clamp(prefix_size - 8 * i, 0, 8);
    const int mask = 0xff >> kept;
    std::uint8_t& byte = ip[static_cast<std::size_t>(i)];
    byte = static_cast<std::uint8_t>(ones ? byte | mask : byte & ~mask);
  }
  return ip;
}

Address with_ip(const Address& like, const IpBytes& ip) {
  if (like.family() == Address::Family::kIpv6) return Address::ipv6(ip, 0);
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | ip[i];
  return Address::ipv4(value, 0);
}

// Sorts ranges and makes one of those that overlap.
template <typename T>
void merge(std::vector<std::pair<T, T>> ranges, std::vector<T>& first, std::vector<T>& last) {
  std::ranges::sort(ranges);
  for (const auto& [from, to] : ranges) {
    if (!last.empty() && from <= last.back()) {
      last.back() = std::max(last.back(), to);
    } else {
      first.push_back(from);
      last.push_back(to);
    }
  }
}

// The last range that begins at or before the value is the only one that may hold it. The search
// has no branch to mispredict: the compiler makes a conditional move of its step.
template <typename T>
bool in_ranges(const std::vector<T>& first, const std::vector<T>& last, const T& value) {
  std::size_t size = first.size();
  if (size == 0) return false;
  std::size_t at = 0;
  while (size > 1) {
    const std::size_t half = size / 2;
    at = first[at + half] <= value ? at + half : at;
    size -= half;
  }
  return first[at] <= value && value <= last[at];
}

}  // namespace

std::expected<Cidr, std::string> Cidr::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = Address::parse_ip(text.substr(0, slash));
  if (!address) {
    return std::unexpected(std::format(
        "'{}' is not a network; write it like 10.0.0.0/8, fd00::/8 or 192.0.2.1", text));
  }
  Cidr result;
  result.network_ = with_ip(*address, address->ip());
  const int bits = address_bits(*address);
  result.prefix_size_ = bits;
  if (slash != std::string_view::npos) {
    const auto size = parse_decimal(text.substr(slash + 1));
    // Of a mapped address the prefix is written for 128 bits.
    const bool mapped = bits == 32 && text.substr(0, slash).contains(':');
    const std::uint64_t offset = mapped ? 96 : 0;
    if (!size || *size < offset || *size > static_cast<std::uint64_t>(bits) + offset) {
      return std::unexpected(std::format("'{}' has no prefix of {} to {} bits", text, offset,
                                         static_cast<std::uint64_t>(bits) + offset));
    }
    result.prefix_size_ = static_cast<int>(*size - offset);
  }
  const IpBytes network = fill_after(address->ip(), result.prefix_size_, false);
  if (network != address->ip()) {
    const std::string meant = with_ip(*address, network).ip_string();
    return std::unexpected(std::format("'{}' has bits beyond its prefix; write {}/{} or {}", text,
                                       meant, result.prefix_size_, address->ip_string()));
  }
  return result;
}

bool Cidr::contains(const Address& address) const {
  return address.family() == network_.family() &&
         fill_after(address.ip(), prefix_size_, false) == network_.ip();
}

std::string Cidr::to_string() const {
  return std::format("{}/{}", network_.ip_string(), prefix_size_);
}

CidrSet::Wide CidrSet::wide(const IpBytes& ip) {
  Wide result;
  std::memcpy(&result.high, ip.data(), 8);
  std::memcpy(&result.low, ip.data() + 8, 8);
  if constexpr (std::endian::native == std::endian::little) {
    result.high = std::byteswap(result.high);
    result.low = std::byteswap(result.low);
  }
  return result;
}

CidrSet::CidrSet(std::span<const Cidr> networks) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ipv4;
  std::vector<std::pair<Wide, Wide>> ipv6;
  for (const Cidr& cidr : networks) {
    const Address& network = cidr.network();
    const IpBytes last = fill_after(network.ip(), cidr.prefix_size(), true);
    if (network.family() == Address::Family::kIpv4) {
      ipv4.emplace_back(network.ipv4_value(), with_ip(network, last).ipv4_value());
    } else if (network.family() == Address::Family::kIpv6) {
      ipv6.emplace_back(wide(network.ip()), wide(last));
    }
  }
  merge(std::move(ipv4), ipv4_first_, ipv4_last_);
  merge(std::move(ipv6), ipv6_first_, ipv6_last_);
}

std::expected<CidrSet, std::string> CidrSet::parse(std::span<const std::string> entries) {
  std::vector<Cidr> networks;
  bool with_unix = false;
  for (const std::string& entry : entries) {
    if (entry == "unix") {
      with_unix = true;
      continue;
    }
    auto cidr = Cidr::parse(entry);
    if (!cidr) return std::unexpected(std::move(cidr.error()));
    networks.push_back(*cidr);
  }
  CidrSet result(networks);
  result.set_unix(with_unix);
  return result;
}

bool CidrSet::contains(const Address& address) const {
  switch (address.family()) {
    case Address::Family::kIpv4:
      return in_ranges(ipv4_first_, ipv4_last_, address.ipv4_value());
    case Address::Family::kIpv6:
      return in_ranges(ipv6_first_, ipv6_last_, wide(address.ip()));
    case Address::Family::kUnix:
      return unix_;
    default:
      return false;
  }
}

}  // namespace base
