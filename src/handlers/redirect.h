// Sends the client elsewhere: a status and a Location made from a template (RFC 9110 10.2.2).
//
// Values are escaped as parts of a URL, so that no CR or LF gets out (S32), and where a value
// begins the target, `//host` is not made of a path: it would lead to whom the client named.
// Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"
#include "http/prepared.h"

namespace handlers {

class Redirect final : public http::Handler {
 public:
  // `options` outlives it.
  explicit Redirect(const RedirectOptions& options);

  http::Outcome handle(http::Exchange& exchange) override;

 private:
  const RedirectOptions& options_;
};

}  // namespace handlers
