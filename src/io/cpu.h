// How many processors this process may use at once: the number of workers that `workers: auto`
// means.
//
// The smaller of the affinity mask and the quota of its control group (version 2 or 1, and of every
// group above it), rounded up: a container with half a processor still has one worker, and more
// threads than the quota feeds would be stopped in the middle of their turns.
#pragma once

#include <string>

namespace io {

// At least 1. `root`: where /proc and /sys/fs/cgroup are looked for; for tests.
unsigned usable_processors(const std::string& root = "");

}  // namespace io
