// From options to a snapshot: everything of a configuration that can fail, tried before anything
// changes.
//
// Certificates are loaded, roots and files looked at, groups of endpoints built upon those in
// force. Errors are one sentence that says what to do. Main thread; may block on files.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/snapshot.h"
#include "server/worker_shared.h"

namespace server {

// `previous`, which may be nullptr, is in force; what did not change is taken over from it.
std::expected<std::shared_ptr<const Snapshot>, std::string> prepare_snapshot(
    Options options, const Snapshot* previous, WorkerShared& shared,
    const std::function<uint32_t(const std::string&)>& listener_id);

// Whether a certificate file in use is another one now. Asks the file system.
bool certificates_changed(const Snapshot& snapshot);
std::vector<ProcessState::Certificate> certificates_of(const Snapshot& snapshot);

}  // namespace server
