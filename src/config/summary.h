// What a configuration would do, for `webship check`: what listens where, what each site answers
// with, where upstreams are. Pure.
// Reads the options alone, opens nothing.
#pragma once

#include <string>

#include "server/options.h"

namespace config {

std::string summary(const server::Options& options);

}  // namespace config
