// What was read → Options that are complete and consistent.
//
// Looks up the names that keys refer to, gives every site its listeners and its TLS options on each
// of them, adds the default listeners, and finds what no single key can see: a host twice on a
// listener, an address twice, a TLS listener without a certificate.
#pragma once

#include "config/keys.h"
#include "config/reader.h"

namespace config {

// Options without meaning where there are errors, which the reader got. `good`: there were none so
// far; otherwise what may only seem to be missing isn't reported.
server::Options finish(Draft draft, const Node& root, bool good, Reader& reader);

// A route's conditions as a line of text: its id, and what `check` shows. "everything" if none.
std::string describe(const http::MatchOptions& match);

}  // namespace config
