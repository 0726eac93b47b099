// Another path, and perhaps another query, made from what a regular expression found.
//
// Matches the canonical path. The result is made canonical again, and the raw path becomes the same
// path encoded: from here on access rules, files and the origin see one path (R2), and nothing that
// a capture held climbs out of it (S32). A result with `?` replaces the query, one without keeps
// it. The captures stay for templates behind it. RE2: linear in the path (D06).
// Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class Rewrite final : public http::Filter {
 public:
  // `options` outlives it.
  explicit Rewrite(const RewriteOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override;

 private:
  const RewriteOptions& options_;
};

}  // namespace handlers
