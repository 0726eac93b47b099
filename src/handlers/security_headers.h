// Fields that tell browsers to be careful, on responses that don't say it themselves.
//
// Strict-Transport-Security (RFC 6797) over TLS only, for elsewhere browsers ignore it. Belongs to
// one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class SecurityHeaders final : public http::Filter, public http::ResponseHook {
 public:
  // `options` outlives it.
  explicit SecurityHeaders(const SecurityHeadersOptions& options) : options_(options) {}
  http::FilterOutcome filter(http::Exchange& exchange) override {
    exchange.add_hook(*this);
    return http::Verdict::next;
  }
  void on_response(http::Exchange& exchange) const override {
    http::Fields& fields = exchange.response().fields;
    const auto add = [&fields](std::string_view name, std::string_view value) {
      if (!value.empty() && fields.find(name) == nullptr) fields.add(name, value);
    };
    if (exchange.request().scheme == "https") add("Strict-Transport-Security", options_.hsts);
    add("X-Content-Type-Options", options_.content_type);
    add("X-Frame-Options", options_.frame);
    add("Referrer-Policy", options_.referrer);
    add("Content-Security-Policy", options_.csp);
  }

 private:
  const SecurityHeadersOptions& options_;
};

}  // namespace handlers
