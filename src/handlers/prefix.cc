#include "handlers/prefix.h"

#include <string_view>

#include "http/path.h"

namespace handlers {

namespace {

// The arena is full (S28): nothing was changed, so it can't go on.
http::FilterOutcome refuse(http::Exchange& exchange) {
  exchange.respond(414);
  return http::Verdict::answered;
}

}  // namespace

http::FilterOutcome StripPrefix::filter(http::Exchange& exchange) {
  http::Request& request = exchange.request();
  const auto stripped = http::strip_prefix(request.path, options_.prefix);
  if (!stripped) return http::Verdict::next;
  std::string raw;
  http::append_stripped_target_path(raw, request.raw_path, request.path, options_.prefix);
  const std::string_view raw_path = exchange.arena().copy(raw);
  if (raw_path.empty()) return refuse(exchange);
  request.raw_path = raw_path;
  request.path = *stripped;
  exchange.stripped_prefix = exchange.stripped_prefix.empty()
                                 ? std::string_view(options_.prefix)
                                 : exchange.arena().join(exchange.stripped_prefix, options_.prefix);
  return http::Verdict::next;
}

AddPrefix::AddPrefix(const AddPrefixOptions& options) : options_(options) {
  http::append_target_path(raw_prefix_, options.prefix);
}

http::FilterOutcome AddPrefix::filter(http::Exchange& exchange) {
  http::Request& request = exchange.request();
  if (!request.path.starts_with('/')) return http::Verdict::next;  // OPTIONS *
  std::string text;
  http::append_joined(text, options_.prefix, request.path);
  const std::string_view path = exchange.arena().copy(text);
  text.clear();
  http::append_joined(text, raw_prefix_, request.raw_path);
  const std::string_view raw_path = exchange.arena().copy(text);
  if (path.empty() || raw_path.empty()) return refuse(exchange);
  request.path = path;
  request.raw_path = raw_path;
  return http::Verdict::next;
}

}  // namespace handlers
