// What the commands without a configuration file have in common.
//
// They make the same Options that a file would become, and know no keys.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "server/options.h"

namespace cli {

// One site for every host with one handler, on these addresses. No admin address, so that several
// can run side by side. The error says which address is none.
std::expected<server::Options, std::string> one_site(const std::vector<std::string>& addresses,
                                                     server::HandlerOptions handler, bool quiet);

// What to type in a browser, `http://localhost:8080` for `:8080`, for each of the addresses. Port 0
// is left out: the log says which it became.
std::vector<std::string> browser_urls(const server::ListenerOptions& listener);

// Prints the sentence, returns the exit status of failure.
int fail(const std::string& sentence);

}  // namespace cli
