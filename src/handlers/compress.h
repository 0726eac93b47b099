// Compresses response bodies on their way out, by Accept-Encoding.
//
// Not what is encoded already, a part (206), small, or marked no-transform (RFC 9110 7.7, RFC 9111
// 5.2.2.6); not types that gain nothing. What could have been compressed says
// `Vary: Accept-Encoding` whether it was or not; a compressed one has a weak ETag, for it is not
// the same bytes every time (F08). Event streams are flushed with every write. The secret of a page
// that also reflects what an attacker sends can be guessed by its compressed size (BREACH): leave
// this filter off such routes. Belongs to one worker.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "handlers/encoder.h"
#include "handlers/options.h"
#include "http/handler.h"

namespace handlers {

class Compress final : public http::Filter, public http::ResponseHook {
 public:
  // `options` outlives it.
  explicit Compress(const CompressOptions& options);

  http::FilterOutcome filter(http::Exchange& exchange) override;
  void on_response(http::Exchange& exchange) const override;

 private:
  bool eligible(const http::Exchange& exchange) const;
  bool eligible_type(std::string_view type) const;

  const CompressOptions& options_;
  std::vector<http::Coding> codings_;
  std::shared_ptr<EncoderPool> encoders_ = std::make_shared<EncoderPool>();
};

}  // namespace handlers
