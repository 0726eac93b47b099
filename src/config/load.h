// A configuration file → Options, or every error in it.
//
// The one way in for commands and reloads. No state: the same files and environment give the same
// result. Reads files, looks at nothing else: whether certificates, folders and users are there is
// found out by server/.
#pragma once

#include <expected>
#include <string>

#include "config/include.h"
#include "server/options.h"

namespace config {

// The error is the text for the operator: each error with its line, one after the other.
std::expected<server::Options, std::string> load(
    const std::string& path, const Surroundings& surroundings = Surroundings::of_process());

}  // namespace config
