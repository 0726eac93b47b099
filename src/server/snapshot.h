// One configuration in force, with what all workers share of it.
//
// Immutable; workers hold it through their trees. Made by apply() on the main thread, where
// everything that can fail is tried before anything changes.
#pragma once

#include <memory>
#include <vector>

#include "handlers/file_texts.h"
#include "server/listener.h"
#include "server/options.h"
#include "upstream/registry.h"

namespace server {

struct Snapshot {
  Options options;
  handlers::FileTexts texts;
  std::vector<std::shared_ptr<const Listener>> listeners;
  std::shared_ptr<upstream::Registry> upstreams;
};

}  // namespace server
