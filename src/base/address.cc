#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <format>
#include <utility>

#include "base/text.h"

namespace base {
namespace {

constexpr std::uint8_t kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// Dotted decimal, exactly four numbers without leading zeros: what inet_pton takes, and fast.
bool parse_ipv4(std::string_view text, IpBytes& out) {
  std::size_t i = 0;
  for (int part = 0; part < 4; ++part) {
    if (part != 0 && (i >= text.size() || text[i++] != '.')) return false;
    const std::size_t begin = i;
    unsigned value = 0;
    while (i < text.size() && is_digit(text[i]) && i - begin < 3) {
      value = value * 10 + static_cast<unsigned>(text[i++] - '0');
    }
    if (i == begin || value > 255 || (text[begin] == '0' && i - begin > 1)) return false;
    out[static_cast<std::size_t>(part)] = static_cast<std::uint8_t>(value);
  }
  return i == text.size();
}

bool parse_ipv6(std::string_view text, IpBytes& out) {
  char buffer[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof buffer || text.find('\0') != std::string_view::npos) return false;
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  return inet_pton(AF_INET6, buffer, out.data()) == 1;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto port = text.size() <= 5 ? parse_decimal(text) : std::nullopt;
  if (!port || *port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

std::unexpected<std::string> bad_address(std::string_view text) {
  return std::unexpected(std::format(
      "'{}' is not an address; write it like 127.0.0.1:80, [::1]:80, :8080 or unix:/run/x.sock",
      text));
}

std::unexpected<std::string> bad_port(std::string_view port) {
  return std::unexpected(std::format("'{}' is not a port; ports are 0 to 65535", port));
}

}  // namespace

Address Address::ipv4(std::uint32_t host_order_ip, std::uint16_t port) {
  Address result;
  result.family_ = Family::kIpv4;
  result.port_ = port;
  const std::uint32_t network_order = htonl(host_order_ip);
  std::memcpy(result.ip_.data(), &network_order, 4);
  return result;
}

Address Address::ipv6(const IpBytes& ip, std::uint16_t port, std::uint32_t scope) {
  Address result;
  result.port_ = port;
  if (std::equal(std::begin(kMappedPrefix), std::end(kMappedPrefix), ip.begin())) {
    result.family_ = Family::kIpv4;
    std::copy_n(ip.begin() + 12, 4, result.ip_.begin());
    return result;
  }
  result.family_ = Family::kIpv6;
  result.ip_ = ip;
  result.scope_ = scope;
  return result;
}

Address Address::dual(std::uint16_t port) {
  Address result;
  result.family_ = Family::kDual;
  result.port_ = port;
  return result;
}

Address Address::unix_path(std::string path) {
  Address result;
  result.family_ = Family::kUnix;
  result.path_ = std::move(path);
  return result;
}

std::expected<Address, std::string> Address::parse(std::string_view text) {
  if (text.starts_with("unix:")) {
    const std::string_view path = text.substr(5);
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
      return std::unexpected(std::format("the socket's path '{}' is longer than {} bytes", path,
                                         sizeof(sockaddr_un::sun_path) - 1));
    }
    if (path.size() < 2 || (path[0] != '/' && path[0] != '@') ||
        path.find('\0') != std::string_view::npos) {
      return std::unexpected(std::format("'{}' has no path; write it like unix:/run/x.sock", text));
    }
    return unix_path(std::string(path));
  }
  if (const auto ip = parse_ip(text)) return *ip;
  const auto parts = split_host_port(text);
  if (!parts) return std::unexpected(parts.error());
  const std::uint16_t port = parts->port.value_or(0);
  if (parts->host.empty() || parts->host == "*") {
    if (!parts->port) return bad_address(text);
    return dual(port);
  }
  const auto ip = parse_ip(parts->host);
  if (!ip) return bad_address(text);
  return ip->with_port(port);
}

std::optional<Address> Address::parse_ip(std::string_view text) {
  IpBytes ip{};
  if (parse_ipv4(text, ip)) {
    Address result;
    result.family_ = Family::kIpv4;
    result.ip_ = ip;
    return result;
  }
  if (text.find(':') == std::string_view::npos) return std::nullopt;
  ip = {};
  std::uint32_t scope = 0;
  const std::size_t percent = text.find('%');
  if (percent != std::string_view::npos) {
    const auto number = parse_decimal(text.substr(percent + 1));
    if (!number || *number > 0xffffffff) return std::nullopt;
    scope = static_cast<std::uint32_t>(*number);
    text = text.substr(0, percent);
  }
  if (!parse_ipv6(text, ip)) return std::nullopt;
  return ipv6(ip, 0, scope);
}

std::optional<Address> Address::from_sockaddr(const sockaddr* address, socklen_t size) {
  if (address == nullptr || size < sizeof(sa_family_t)) return std::nullopt;
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    return ipv4(ntohl(in.sin_addr.s_addr), ntohs(in.sin_port));
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in6;
    std::memcpy(&in6, address, sizeof in6);
    IpBytes ip;
    std::memcpy(ip.data(), &in6.sin6_addr, ip.size());
    return ipv6(ip, ntohs(in6.sin6_port), in6.sin6_scope_id);
  }
  if (address->sa_family == AF_UNIX) {
    const auto* bytes = reinterpret_cast<const char*>(address);
    constexpr std::size_t kPathOffset = offsetof(sockaddr_un, sun_path);
    if (size <= kPathOffset) return unix_path({});  // a client that didn't bind
    std::string_view path(bytes + kPathOffset,
                          std::min<std::size_t>(size, sizeof(sockaddr_un)) - kPathOffset);
    if (path.front() == '\0') {
      std::string name(path);
      name.front() = '@';
      return unix_path(name.size() == 1 ? std::string() : std::move(name));
    }
    return unix_path(std::string(path.substr(0, path.find('\0'))));
  }
  return std::nullopt;
}

socklen_t Address::to_sockaddr(sockaddr_storage& out) const {
  std::memset(&out, 0, sizeof out);
  switch (family_) {
    case Family::kNone:
      return 0;
    case Family::kIpv4: {
      auto& in = reinterpret_cast<sockaddr_in&>(out);
      in.sin_family = AF_INET;
      in.sin_port = htons(port_);
      std::memcpy(&in.sin_addr, ip_.data(), 4);
      return sizeof in;
    }
    case Family::kDual:
    case Family::kIpv6: {
      auto& in6 = reinterpret_cast<sockaddr_in6&>(out);
      in6.sin6_family = AF_INET6;
      in6.sin6_port = htons(port_);
      in6.sin6_scope_id = scope_;
      std::memcpy(&in6.sin6_addr, ip_.data(), ip_.size());
      return sizeof in6;
    }
    case Family::kUnix: {
      auto& un = reinterpret_cast<sockaddr_un&>(out);
      un.sun_family = AF_UNIX;
      const std::size_t size = std::min(path_.size(), sizeof un.sun_path - 1);
      std::memcpy(un.sun_path, path_.data(), size);
      const bool abstract = path_.starts_with('@');
      if (abstract) un.sun_path[0] = '\0';
      // An abstract name has no NUL at its end: every byte counts.
      return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size + (abstract ? 0 : 1));
    }
  }
  return 0;
}

bool Address::is_loopback() const {
  if (family_ == Family::kIpv4) return ip_[0] == 127;
  if (family_ == Family::kIpv6) {
    return ip_[15] == 1 &&
           std::all_of(ip_.begin(), ip_.begin() + 15, [](std::uint8_t b) { return b == 0; });
  }
  return family_ == Family::kUnix;
}

bool Address::is_unspecified() const {
  return family_ == Family::kDual || (is_ip() && ip_ == IpBytes{});
}

Address Address::with_port(std::uint16_t port) const {
  Address result = *this;
  result.port_ = port;
  return result;
}

std::uint32_t Address::ipv4_value() const {
  std::uint32_t network_order;
  std::memcpy(&network_order, ip_.data(), 4);
  return ntohl(network_order);
}

void Address::append_ip_to(std::string& out) const {
  if (family_ == Family::kIpv4) {
    char text[4 * 4];
    char* end = text;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i != 0) *end++ = '.';
      end = write_decimal(ip_[i], end);
    }
    out.append(text, end);
  } else if (family_ == Family::kIpv6) {
    char text[INET6_ADDRSTRLEN];
    out += inet_ntop(AF_INET6, ip_.data(), text, sizeof text);
    if (scope_ != 0) {
      out += '%';
      append_decimal(out, scope_);
    }
  } else if (family_ == Family::kUnix) {
    out += "unix:";
  }
}

void Address::append_to(std::string& out) const {
  switch (family_) {
    case Family::kNone:
      return;
    case Family::kUnix:
      out += "unix:";
      out += path_;
      return;
    case Family::kIpv4:
      append_ip_to(out);
      break;
    case Family::kIpv6:
      out += '[';
      append_ip_to(out);
      out += ']';
      break;
    case Family::kDual:
      break;
  }
  out += ':';
  append_decimal(out, port_);
}

std::string Address::to_string() const {
  std::string out;
  append_to(out);
  return out;
}

std::string Address::ip_string() const {
  std::string out;
  append_ip_to(out);
  return out;
}

std::uint64_t Address::hash(const HashKey& key, bool with_port) const {
  if (family_ == Family::kUnix) return siphash(key, path_);
  char bytes[24] = {};
  std::memcpy(bytes, ip_.data(), 16);
  std::memcpy(bytes + 16, &scope_, 4);
  if (with_port) std::memcpy(bytes + 20, &port_, 2);
  bytes[22] = static_cast<char>(family_);
  return siphash(key, {bytes, sizeof bytes});
}

bool is_ipv4(std::string_view text) {
  IpBytes ip;
  return parse_ipv4(text, ip);
}

std::expected<HostPort, std::string> split_host_port(std::string_view text) {
  HostPort result;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) {
      return std::unexpected(std::format("'{}' has no closing ]", text));
    }
    result.host = text.substr(1, end - 1);
    if (result.host.find(':') == std::string_view::npos) return bad_address(text);
    rest = text.substr(end + 1);
  } else {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
      if (!Address::parse_ip(text)) {
        return std::unexpected(
            std::format("'{}' has several colons; write an IPv6 address like [::1]:80", text));
      }
      return HostPort{text, std::nullopt};
    }
    result.host = text.substr(0, colon);
    rest = text.substr(result.host.size());
  }
  if (rest.empty()) {
    if (text.empty()) return bad_address(text);
    return result;
  }
  if (rest.front() != ':') return bad_address(text);
  result.port = parse_port(rest.substr(1));
  if (!result.port) return bad_port(rest.substr(1));
  return result;
}

}  // namespace base
