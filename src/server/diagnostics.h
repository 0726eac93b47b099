// The diagnostics log: what the operator should know, one line each.
//
// Written by the main thread and, rarely, by workers; asynchronous, so that a blocked pipe never
// blocks a worker: what doesn't fit in its queue is dropped. Not the access log
// (server/access_log).
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "server/options.h"

namespace server {

// Opens the target and makes it the log of this process.
std::expected<void, std::string> open_diagnostics(const DiagnosticsLogOptions& options);
void close_diagnostics();

void log(LogLevel level, std::string_view text);

}  // namespace server
