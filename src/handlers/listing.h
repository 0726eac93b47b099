// The listing of a directory: a page for people, JSON for programs, by Accept.
//
// Read and sorted on a helper thread, for a large directory takes its time, and written in pieces
// as the client takes them. Names are escaped for where they land (F10): anybody who may upload may
// choose them. Hidden entries are left out. `?sort=name|size|modified&order=asc|desc`; everything
// else in the query is ignored.
#pragma once

#include <memory>
#include <string>

#include "base/task.h"
#include "handlers/services.h"
#include "http/exchange.h"
#include "io/file.h"

namespace handlers {

// Entries that are shown: a directory with more says that there are more (F10).
inline constexpr size_t kListedMax = 10'000;

// `directory` is beneath the root, without slashes at its ends.
base::Task<> send_listing(http::Exchange& exchange, const Services& services,
                          std::shared_ptr<const io::Directory> root, std::string directory,
                          bool show_hidden);

}  // namespace handlers
