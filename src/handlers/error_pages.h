// Pages of one's own for errors.
//
// Replaces the body of a response by its status: of errors that this server makes itself, and with
// `intercept` of those that come from an origin too (an API's own error bodies are usually worth
// keeping). The status and all fields stay but for those that describe the body. The pages are read
// when the handler is built, so that an error needs no file: a reload reads them again.
// Belongs to one worker.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/file_texts.h"
#include "handlers/options.h"
#include "handlers/services.h"
#include "http/handler.h"

namespace handlers {

class ErrorPages final : public http::Filter, public http::ResponseHook {
 public:
  // A page is a page: what is larger was named by mistake.
  static constexpr size_t kPageSizeMax = 1024 * 1024;

  // `texts` has the pages; the error is a sentence. `options` outlives the filter.
  static std::expected<std::unique_ptr<ErrorPages>, std::string> create(
      const ErrorPagesOptions& options, const FileTexts& texts, const Services& services);

  // Where a page is.
  static std::string file_of(const ErrorPagesOptions& options, const ErrorPage& page);

  http::FilterOutcome filter(http::Exchange& exchange) override;
  void on_response(http::Exchange& exchange) const override;

 private:
  struct Page {
    int first = 0;
    int last = 0;
    std::string_view content_type;
    std::string text;
  };
  explicit ErrorPages(const ErrorPagesOptions& options) : options_(options) {}

  const ErrorPagesOptions& options_;
  std::vector<Page> pages_;
};

}  // namespace handlers
