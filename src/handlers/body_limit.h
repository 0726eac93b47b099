// A smaller limit for request bodies than the listener's: 413 (S28).
//
// A declared length beyond it is refused before anything is read; what comes in chunks fails while
// it is read. Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class BodyLimit final : public http::Filter {
 public:
  // `options` outlives it.
  explicit BodyLimit(const BodyLimitOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override {
    const http::BodyLength& body = exchange.request().body;
    if (body.kind == http::BodyKind::known && body.size > options_.size) {
      exchange.respond(413);
      return http::Verdict::answered;
    }
    exchange.limit_body(options_.size);
    return http::Verdict::next;
  }

 private:
  const BodyLimitOptions& options_;
};

}  // namespace handlers
