// Sends clients that came without TLS to the same address with it.
//
// The path goes back as the client wrote it, encoded bytes stay encoded (S18). Belongs to one
// worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class HttpsRedirect final : public http::Filter {
 public:
  // `options` outlives it.
  explicit HttpsRedirect(const HttpsRedirectOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override;

 private:
  const HttpsRedirectOptions& options_;
};

}  // namespace handlers
