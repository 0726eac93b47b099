// What a configuration would do, for `webship check`: what listens where, what each site answers
// with, where upstreams are.
//
// For people; nothing reads it again. Pure.
#pragma once

#include <string>

#include "server/options.h"

namespace config {

std::string summary(const server::Options& options);

}  // namespace config
