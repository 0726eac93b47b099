// A configuration file → Options, or every error in it.
//
// The one way in for commands and reloads. No state: the same files and environment give the same
// result. load() looks at nothing else: whether certificates and folders are there is found out by
// server/. check() also looks at these, for who wants to know before a start.
#pragma once

#include <expected>
#include <string>

#include "config/include.h"
#include "server/options.h"

namespace config {

// The error is the text for the operator: each error with its line, one after the other.
std::expected<server::Options, std::string> load(
    const std::string& path, const Surroundings& surroundings = Surroundings::of_process());

struct Checked {
  std::expected<server::Options, std::string> options;
  std::string warnings;  // where it is good; text, as that of errors
};

// `files`: looks at what the configuration names, as the user who asks.
Checked check(const std::string& path, bool files,
              const Surroundings& surroundings = Surroundings::of_process());

}  // namespace config
