#include "proxy/response_fields.h"

#include <algorithm>
#include <cassert>

#include "base/text.h"
#include "http/cookie.h"
#include "proxy/hop_by_hop.h"

namespace proxy {

namespace {

using http::FieldName;

bool ends_here(const http::Field& field, const Nominations& nominations) {
  return is_hop_by_hop(field.id) || field.id == FieldName::content_length ||
         nominations.contains(field);
}

std::string_view rewrite_cookie(std::string_view value, http::Exchange& exchange,
                                std::string& scratch) {
  http::CookieRewrite rewrite;
  rewrite.path_from = "/";
  rewrite.path_to = exchange.stripped_prefix;
  scratch.clear();
  http::append_rewritten_set_cookie(scratch, value, rewrite);
  return exchange.arena().copy(scratch);
}

std::string_view without_slash(std::string_view prefix) {
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  return prefix;
}

// Default ports may be written or not.
bool same_authority(std::string_view a, std::string_view b, bool https) {
  const std::string_view standard = https ? ":443" : ":80";
  if (a.ends_with(standard)) a.remove_suffix(standard.size());
  if (b.ends_with(standard)) b.remove_suffix(standard.size());
  return base::iequals(a, b);
}

}  // namespace

std::string_view rewrite_location(std::string_view location, const ResponseRules& rules,
                                  http::Exchange& exchange) {
  base::Arena& arena = exchange.arena();
  const std::string_view prefix = without_slash(exchange.stripped_prefix);
  if (location.starts_with('/')) {
    if (location.starts_with("//") || prefix.empty()) return location;
    return arena.join(prefix, location);
  }
  const bool https = location.size() >= 8 && base::iequals(location.substr(0, 8), "https://");
  if (!https && !(location.size() >= 7 && base::iequals(location.substr(0, 7), "http://"))) {
    return location;
  }
  const std::size_t scheme_size = https ? 8 : 7;
  std::string_view rest = location.substr(scheme_size);
  const std::size_t authority_size = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view authority = rest.substr(0, authority_size);
  rest.remove_prefix(authority_size);
  const http::Request& request = exchange.request();
  const bool own = same_authority(authority, request.authority, https);
  const bool origins = same_authority(authority, rules.host_sent, https) ||
                       same_authority(authority, rules.endpoint_authority, https);
  if (!own && !origins) return location;
  // A path is there once a prefix stands before it: `http://host?q` means its root.
  std::string_view path = rest.starts_with('/') || rest.empty() ? std::string_view() : "/";
  if (own || request.authority.empty()) {
    if (prefix.empty()) return location;
    return arena.join(arena.join(location.substr(0, scheme_size + authority_size), prefix), path,
                      rest);
  }
  return arena.join(arena.join(request.scheme, "://", request.authority), arena.join(prefix, path),
                    rest);
}

bool make_response(const http::Response& from, std::string_view text, const ResponseRules& rules,
                   http::Exchange& exchange, std::string& scratch) {
  const Nominations nominations(from.fields);
  if (nominations.too_many()) return false;
  // The head is copied whole: one copy is less work than one for each name and value.
  const std::string_view copy = exchange.arena().copy(text);
  if (copy.empty() && !text.empty()) return false;
  auto moved = [&](std::string_view view) {
    assert(view.data() >= text.data() && view.data() + view.size() <= text.data() + text.size());
    return std::string_view(copy.data() + (view.data() - text.data()), view.size());
  };
  http::Response& response = exchange.response();
  response.status = from.status;
  const bool mounted = rules.rewrite_location && !exchange.stripped_prefix.empty();
  for (const http::Field& field : from.fields.all()) {
    if (ends_here(field, nominations)) continue;
    http::Field passed{moved(field.name), moved(field.value), field.id};
    if (field.id == FieldName::location && rules.rewrite_location) {
      passed.value = rewrite_location(passed.value, rules, exchange);
    } else if (field.id == FieldName::set_cookie && mounted) {
      passed.value = rewrite_cookie(passed.value, exchange, scratch);
    }
    if (passed.value.empty() && !field.value.empty()) return false;
    response.fields.push(passed);
  }
  return true;
}

}  // namespace proxy
