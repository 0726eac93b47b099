// Socket addresses as values.
//
// An Address is an IPv4 or IPv6 address with a port, every address of both families with a port
// (`:8080`), or a unix stream socket. It is not a name: names are resolved by upstream/. Networks
// and sets of them are base/cidr.h. An IPv4 address mapped into IPv6 (::ffff:a.b.c.d) is held as
// IPv4 from the moment it enters, so that one client has one spelling in rules, logs and limits
// (RFC 4291 2.5.5.2). Values, any thread. No system calls: interface names as zones
// (`fe80::1%eth0`) are refused, their numbers are read. Text: RFC 5952 for IPv6, brackets with a
// port (RFC 3986 3.2.2).
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace base {

// The four bytes of an IPv4 address stand first in ip(), the rest is zero.
using IpBytes = std::array<std::uint8_t, 16>;

class Address {
 public:
  enum class Family : std::uint8_t {
    kNone,  // no address: what a default-made one is
    kIpv4,
    kIpv6,
    kDual,  // every address of both families, to listen on
    kUnix,
  };

  Address() = default;
  static Address ipv4(std::uint32_t host_order_ip, std::uint16_t port);
  // A mapped IPv4 address becomes IPv4.
  static Address ipv6(const IpBytes& ip, std::uint16_t port, std::uint32_t scope = 0);
  static Address dual(std::uint16_t port);
  static Address unix_path(std::string path);

  // `127.0.0.1:80`, `[::1]:80`, `:8080`, `*:8080`, `unix:/run/x.sock`, and IPs without a port (0).
  // The error says what to write.
  static std::expected<Address, std::string> parse(std::string_view text);
  // An IP alone, without port or brackets; for fields of peers.
  static std::optional<Address> parse_ip(std::string_view text);

  static std::optional<Address> from_sockaddr(const sockaddr* address, socklen_t size);
  // The size to give to the kernel; 0 for kNone. kDual becomes [::], whose socket must have
  // IPV6_V6ONLY off. A unix path that begins with @ is in the abstract namespace.
  socklen_t to_sockaddr(sockaddr_storage& out) const;

  Family family() const { return family_; }
  bool is_ip() const { return family_ == Family::kIpv4 || family_ == Family::kIpv6; }
  bool is_unix() const { return family_ == Family::kUnix; }
  bool is_loopback() const;     // 127.0.0.0/8, ::1; unix sockets too: nobody else reaches them
  bool is_unspecified() const;  // 0.0.0.0, ::, and kDual
  std::uint16_t port() const { return port_; }
  void set_port(std::uint16_t port) { port_ = port; }
  Address with_port(std::uint16_t port) const;
  const IpBytes& ip() const { return ip_; }
  std::uint32_t ipv4_value() const;  // host order
  std::uint32_t scope() const { return scope_; }
  const std::string& path() const { return path_; }

  // `192.0.2.1:80`, `[2001:db8::1]:80`, `:8080`, `unix:/run/x.sock`. What parse() reads.
  void append_to(std::string& out) const;
  std::string to_string() const;
  // Without port and brackets; `unix:` for a unix socket.
  void append_ip_to(std::string& out) const;
  std::string ip_string() const;

  bool operator==(const Address&) const = default;

  // For tables that peers fill; `with_port` false for limits per address.
  std::uint64_t hash(const HashKey& key, bool with_port = true) const;

 private:
  IpBytes ip_{};
  std::uint32_t scope_ = 0;
  std::uint16_t port_ = 0;
  Family family_ = Family::kNone;
  std::string path_;
};

// Whether the text is an IPv4 address: four decimal numbers, none with a leading zero.
bool is_ipv4(std::string_view text);

// The host and port of `localhost:3000`, `[::1]:80`, `10.0.0.1`; the host without brackets. For
// names in the configuration; what peers send goes through http/target.h.
struct HostPort {
  std::string_view host;
  std::optional<std::uint16_t> port;
};
std::expected<HostPort, std::string> split_host_port(std::string_view text);

}  // namespace base

template <>
struct std::hash<base::Address> {
  std::size_t operator()(const base::Address& address) const noexcept {
    return static_cast<std::size_t>(address.hash(base::HashKey{}));
  }
};
