// Setting, adding and removing fields of requests and responses: two filters of one shape.
//
// Removed first, then set, then added. Values are templates, evaluated when they are needed: for a
// response that is when its head goes out, so they may name it. What frames messages and
// connections is not for filters to change: the configuration refuses those names.
// Belongs to one worker.
#pragma once

#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class RequestFields final : public http::Filter {
 public:
  // `changes` outlives it.
  explicit RequestFields(const RequestFieldsOptions& changes) : changes_(changes) {}
  http::FilterOutcome filter(http::Exchange& exchange) override;

 private:
  const RequestFieldsOptions& changes_;
};

class ResponseFields final : public http::Filter, public http::ResponseHook {
 public:
  explicit ResponseFields(const ResponseFieldsOptions& changes);
  http::FilterOutcome filter(http::Exchange& exchange) override;
  void on_response(http::Exchange& exchange) const override;

 private:
  const ResponseFieldsOptions& changes_;
  bool removes_server_;  // a field that the codec adds by itself
};

}  // namespace handlers
