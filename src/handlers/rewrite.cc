#include "handlers/rewrite.h"

#include <string>
#include <string_view>

#include "http/exchange_resolver.h"
#include "http/matcher.h"
#include "http/path.h"

namespace handlers {

http::FilterOutcome Rewrite::filter(http::Exchange& exchange) {
  http::Request& request = exchange.request();
  if (!http::match_captures(options_.match, request.path, exchange.captures())) {
    return http::Verdict::next;
  }
  const std::string_view to = http::evaluate(options_.to, base::Escape::kUrl, exchange);
  const size_t mark = to.find('?');
  const std::string_view raw = to.substr(0, mark);
  char* scratch = exchange.arena().allocate(raw.size() + 1);
  if (scratch == nullptr) {
    exchange.respond(414);
    return http::Verdict::answered;
  }
  const auto path = http::canonical_path(raw, scratch);
  if (!path) {
    exchange.error_detail = "the rewritten path is not a path";
    exchange.respond(400);
    return http::Verdict::answered;
  }
  std::string encoded;
  http::append_target_path(encoded, *path);
  request.path = *path;
  request.raw_path = exchange.arena().copy(encoded);
  if (mark != to.npos) {
    request.query = to.substr(mark + 1);
    request.has_query = !request.query.empty();
  }
  return http::Verdict::next;
}

}  // namespace handlers
