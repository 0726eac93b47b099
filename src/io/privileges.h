// Becoming the run-time user: what a server started as root does once its sockets are bound.
//
// become() keeps CAP_NET_BIND_SERVICE alone (a reload may bind other ports below 1024), drops every
// other capability, the bounding set with them, and sets no_new_privs, so that no program that is
// run later can win them back. Capabilities belong to threads: call it before any is made.
// Started as an ordinary user there is nothing to give up.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "io/error.h"

namespace io {

struct Identity {
  std::string user;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string home;
};

// `group` empty: the user's own. Names or numbers. The error says which is unknown.
std::expected<Identity, Error> find_identity(const std::string& user, const std::string& group);

bool is_root();
// What to type so that this process, as the user that it is now, may read a file or enter a folder:
// a command. Empty where nothing of its rights is in the way.
std::string access_advice(const std::string& path);
std::expected<void, Error> become(const Identity& identity);

// Raises the limit of open descriptors to what the system allows (as root: to `wanted` at least)
// and returns what it is then.
uint64_t raise_descriptor_limit(uint64_t wanted);

}  // namespace io
