// Making listening sockets.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "io/acceptor.h"

namespace io {

namespace {

// Why not and what to do, in place of the errno's own words; empty where those say all there is.
std::string advice(int error, const base::Address& address) {
  switch (error) {
    case EADDRINUSE:
      return "it is in use: something listens there already; stop it, or choose another address";
    case EACCES:
    case EPERM:
      return address.is_unix()
                 ? "no permission to make the socket in that folder; choose another"
                 : "no permission for ports below 1024; start as root, give the program "
                   "CAP_NET_BIND_SERVICE, or choose a port from 1024 on";
    case EADDRNOTAVAIL:
      return "this machine has no such address; `ip address` lists those that it has";
    case ENOENT:
    case ENOTDIR:
      return "its folder is not there; make it, or choose another";
    default:
      return {};
  }
}

// A socket file that nobody listens on any more is removed; a live one, or another file, is not.
bool remove_stale(const sockaddr_storage& address, socklen_t size, const std::string& path) {
  struct stat found{};
  if (path.starts_with('@') || ::lstat(path.c_str(), &found) != 0) return true;
  if (!S_ISSOCK(found.st_mode)) return false;
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), size);
  const bool stale = result != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return stale && ::unlink(path.c_str()) == 0;
}

bool set(int descriptor, int level, int option, int value) {
  return ::setsockopt(descriptor, level, option, &value, sizeof value) == 0;
}

// Prepares and binds; an errno, or 0.
int bind_socket(int descriptor, const base::Address& address, const ListenOptions& options,
                const sockaddr_storage& to, socklen_t size) {
  const sockaddr* const where = reinterpret_cast<const sockaddr*>(&to);
  if (address.is_unix()) {
    if (!remove_stale(to, size, address.path())) return EADDRINUSE;
    // The mode of the socket's inode becomes the file's when it is bound (less the umask, so it is
    // set again): there is no moment in which others could connect.
    ::fchmod(descriptor, options.unix_mode);
    if (::bind(descriptor, where, size) != 0) return errno;
    if (!address.path().starts_with('@')) ::chmod(address.path().c_str(), options.unix_mode);
    return 0;
  }
  set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1);
  if (options.reuse_port && !set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)) return errno;
  if (to.ss_family == AF_INET6) {
    const bool only = options.ipv6_only && address.family() != base::Address::Family::kDual;
    set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, only ? 1 : 0);
  }
  return ::bind(descriptor, where, size) == 0 ? 0 : errno;
}

// Whether a socket that shares with nobody could be bound: an errno, or 0.
int try_alone(const base::Address& address, ListenOptions options, const sockaddr_storage& to,
              socklen_t size) {
  const int probe = ::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return errno;
  options.reuse_port = false;
  const int error = bind_socket(probe, address, options, to, size);
  ::close(probe);
  return error;
}

}  // namespace

std::expected<int, Error> listen(const base::Address& address, const ListenOptions& options) {
  sockaddr_storage to{};
  socklen_t size = address.to_sockaddr(to);
  if (size == 0) return failed(EINVAL, "no address to listen on");
  constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  int descriptor = ::socket(to.ss_family, kType, 0);
  if (descriptor < 0 && errno == EAFNOSUPPORT &&
      address.family() == base::Address::Family::kDual) {  // a kernel without IPv6
    size = base::Address::ipv4(0, address.port()).to_sockaddr(to);
    descriptor = ::socket(to.ss_family, kType, 0);
  }
  if (descriptor < 0) return failed(errno, advice(errno, address));
  int error = 0;
  if (options.first && options.reuse_port) error = try_alone(address, options, to, size);
  if (error == 0) error = bind_socket(descriptor, address, options, to, size);
  if (error == 0 && ::listen(descriptor, options.backlog) != 0) error = errno;
  if (error != 0) {
    ::close(descriptor);
    return failed(error, advice(error, address));
  }
  return descriptor;
}

base::Address local_address(int descriptor) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&storage), size)
      .value_or(base::Address());
}

void close_listener(int descriptor, const base::Address& address) {
  if (address.is_unix() && !address.path().starts_with('@')) unlink(address.path().c_str());
  close(descriptor);
}

}  // namespace io
