#include "io/privileges.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

namespace io {

namespace {

std::optional<unsigned> number(const std::string& text) {
  unsigned value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

// The kernel's own call: one structure each does not justify a library.
bool set_capabilities(uint64_t set) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (size_t i = 0; i < data.size(); ++i) {
    data[i].effective = data[i].permitted = static_cast<uint32_t>(set >> (32 * i));
  }
  return ::syscall(SYS_capset, &header, data.data()) == 0;
}

}  // namespace

std::expected<Identity, Error> find_identity(const std::string& user, const std::string& group) {
  const auto uid = number(user);
  errno = 0;
  const passwd* const found = uid ? ::getpwuid(*uid) : ::getpwnam(user.c_str());
  Identity identity;
  identity.user = user;
  if (found != nullptr) {
    identity.user = found->pw_name;
    identity.uid = found->pw_uid;
    identity.gid = found->pw_gid;
    identity.home = found->pw_dir;
  } else if (uid) {  // a number needs no entry (containers)
    identity.uid = *uid;
    identity.gid = *uid;
  } else {
    return failed(0, "there is no user " + user);
  }
  if (!group.empty()) {
    if (const auto gid = number(group)) {
      identity.gid = *gid;
    } else if (const struct group* const entry = ::getgrnam(group.c_str())) {
      identity.gid = entry->gr_gid;
    } else {
      return failed(0, "there is no group " + group);
    }
  }
  identity.groups = {identity.gid};
  if (found != nullptr) {
    int count = 64;
    identity.groups.resize(static_cast<size_t>(count));
    if (::getgrouplist(identity.user.c_str(), identity.gid, identity.groups.data(), &count) < 0) {
      identity.groups.resize(static_cast<size_t>(count));
      ::getgrouplist(identity.user.c_str(), identity.gid, identity.groups.data(), &count);
    }
    identity.groups.resize(static_cast<size_t>(std::max(count, 0)));
  }
  return identity;
}

namespace {

std::string group_name() {
  const group* const found = ::getgrgid(::getegid());
  return found == nullptr ? std::to_string(::getegid()) : found->gr_name;
}

bool allowed(const std::string& path, int mode) {
  return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0 || errno != EACCES;
}

}  // namespace

std::string access_advice(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    if (!allowed(folder, X_OK)) return "chmod o+x " + folder;
  }
  struct stat status{};
  const bool folder = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  if (allowed(path, folder ? R_OK | X_OK : R_OK)) return {};
  return "chgrp " + group_name() + " " + path + " && chmod " + (folder ? "0750 " : "0640 ") + path;
}

bool is_root() { return ::geteuid() == 0; }

std::expected<void, Error> become(const Identity& identity) {
  // What can be bound when we are not root any more; nothing, where root itself has no such right
  // (a container): binding it will say so.
  const bool can_bind = ::prctl(PR_CAPBSET_READ, CAP_NET_BIND_SERVICE, 0, 0, 0) == 1;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (capability != CAP_NET_BIND_SERVICE) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  if (identity.uid != 0 && ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) {
    return failed(errno, "cannot keep capabilities");
  }
  if (::setgroups(identity.groups.size(), identity.groups.data()) != 0) {
    return failed(errno, "cannot set the groups of " + identity.user);
  }
  if (::setresgid(identity.gid, identity.gid, identity.gid) != 0) {
    return failed(errno, "cannot become the group of " + identity.user);
  }
  if (::setresuid(identity.uid, identity.uid, identity.uid) != 0) {
    return failed(errno, "cannot become the user " + identity.user);
  }
  if (!set_capabilities(can_bind ? uint64_t{1} << CAP_NET_BIND_SERVICE : 0) &&
      !set_capabilities(0)) {
    return failed(errno, "cannot give up capabilities");
  }
  ::prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return failed(errno, "cannot rule out new privileges");
  }
  if (identity.uid != 0 && ::setuid(0) == 0) return failed(EPERM, "still root");
  return {};
}

uint64_t raise_descriptor_limit(uint64_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_max < wanted) {
    const rlimit more{wanted, wanted};
    if (::setrlimit(RLIMIT_NOFILE, &more) == 0) return wanted;
  }
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit more{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &more) == 0) limit = more;
  }
  return limit.rlim_cur;
}

}  // namespace io
