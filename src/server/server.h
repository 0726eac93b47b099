// Runs Webship: what every command that serves calls with its options.
//
// Opens, binds, drops privileges, starts the workers, waits for signals: SIGTERM and SIGINT drain
// (a second one ends at once), SIGHUP loads again. Main thread.
#pragma once

#include <expected>
#include <functional>
#include <string>

#include "server/options.h"

namespace server {

// The options in force from now on, or a text for the operator (one or more lines, as `check`
// prints them).
using Load = std::function<std::expected<Options, std::string>()>;

// Returns the exit status: 0 after an orderly end, 1 when it can't start. `ready` is called once,
// when everything listens.
int run(const Load& load, const std::function<void()>& ready = {});

}  // namespace server
