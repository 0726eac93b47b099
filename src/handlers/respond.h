// A fixed answer: status, fields, body.
//
// What is literal is prepared once and answered within the call; templates are evaluated per
// request. Values in the body are escaped as its media type asks (HTML, JSON), so that a page may
// quote the request. Without a body, a status from 400 on says what it is in a line of text, as all
// generated errors do. Every method gets the same answer. Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"
#include "http/prepared.h"

namespace handlers {

class Respond final : public http::Handler {
 public:
  // `options` outlives it.
  explicit Respond(const RespondOptions& options);

  http::Outcome handle(http::Exchange& exchange) override;

 private:
  const RespondOptions& options_;
  bool prepared_ = false;
  bool has_content_type_ = false;
  bool short_page_ = false;
  base::Escape body_escape_ = base::Escape::kNone;
  http::PreparedResponse response_;
};

}  // namespace handlers
