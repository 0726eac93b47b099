// The diagnostics log: what the operator should know, one line each.
//
// Written by the main thread and, rarely, by workers; asynchronous, so that a blocked pipe never
// blocks a worker: what doesn't fit in its queue is dropped. Where it goes may change while others
// write: the logger stays, its sink is given another file. Not the access log (server/access_log).
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "io/error.h"
#include "server/options.h"

namespace server {

// Opens the target and makes it the log of this process, in place of what was. On an error that
// goes on.
std::expected<void, std::string> open_diagnostics(const DiagnosticsLogOptions& options);
// After its file was renamed.
void reopen_diagnostics();
void close_diagnostics();

void log(LogLevel level, std::string_view text);

// As io::FileWriter wants it.
std::string target_of(const LogTarget& target);
// The sentence for a log that can't be opened.
std::string cant_open(std::string_view log, const LogTarget& target, const io::Error& error);

}  // namespace server
