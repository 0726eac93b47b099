// From a snapshot to the tree that answers requests on one worker.
//
// Runs on the worker. Does not fail: what can was tried when the snapshot was made; a root that
// vanished since then answers 500 until the next reload.
#pragma once

#include <memory>

#include "server/services.h"
#include "server/tree.h"

namespace server {

std::unique_ptr<Tree> build_tree(std::shared_ptr<const Snapshot> snapshot, Services& services);

}  // namespace server
