// Taking a prefix off the path, or putting one before it: canonical and raw path alike.
//
// How prefixes, slashes and paths join stands as a table in http/path.h. What was taken off is kept
// in the exchange, for Location fields and cookies of origins. A path that isn't under the prefix
// is left as it is. Belongs to one worker.
#pragma once

#include <string>

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class StripPrefix final : public http::Filter {
 public:
  // `options` outlives it.
  explicit StripPrefix(const StripPrefixOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override;

 private:
  const StripPrefixOptions& options_;
};

class AddPrefix final : public http::Filter {
 public:
  explicit AddPrefix(const AddPrefixOptions& options);
  http::FilterOutcome filter(http::Exchange& exchange) override;

 private:
  const AddPrefixOptions& options_;
  std::string raw_prefix_;  // in the form of a target
};

}  // namespace handlers
