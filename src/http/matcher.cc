#include "http/matcher.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "http/cookie.h"
#include "http/path.h"
#include "http/query.h"

namespace http {

namespace {

bool matches_value(const ValuePattern& pattern, std::string_view value) {
  switch (pattern.kind) {
    case ValuePattern::Kind::exact:
      return value == pattern.text;
    case ValuePattern::Kind::present:
      return true;
    case ValuePattern::Kind::absent:
      return false;
    case ValuePattern::Kind::regex:
      return pattern.regex.matches(value);
  }
  return false;
}

bool matches_optional(const ValuePattern& pattern, std::optional<std::string_view> value) {
  if (!value) return pattern.kind == ValuePattern::Kind::absent;
  return matches_value(pattern, *value);
}

bool matches_header(const Fields& fields, const NamedPattern& pattern) {
  bool found = false;
  FieldName id = field_name(pattern.name);
  for (const Field& field : fields.all()) {
    if (field.id != id) continue;
    if (id == FieldName::other && !base::iequals(field.name, pattern.name)) continue;
    found = true;
    if (matches_value(pattern.value, field.value)) return true;
  }
  return !found && pattern.value.kind == ValuePattern::Kind::absent;
}

std::optional<std::string_view> cookie(const Fields& fields, std::string_view name) {
  if (!fields.has(FieldName::cookie)) return std::nullopt;
  for (const Field& field : fields.all()) {
    if (field.id != FieldName::cookie) continue;
    if (auto value = find_cookie(field.value, name)) return value;
  }
  return std::nullopt;
}

}  // namespace

bool match_captures(const Regex& regex, std::string_view text,
                    std::vector<Exchange::Capture>& captures) {
  const re2::RE2& pattern = regex.re2();
  std::array<re2::StringPiece, Regex::kGroupsMax + 1> groups;
  int count = std::min(pattern.NumberOfCapturingGroups(), Regex::kGroupsMax) + 1;
  re2::StringPiece piece(text.data(), text.size());
  if (!pattern.Match(piece, 0, text.size(), re2::RE2::UNANCHORED, groups.data(), count)) {
    return false;
  }
  captures.clear();
  const auto& names = pattern.CapturingGroupNames();
  for (int i = 0; i < count; ++i) {
    auto name = names.find(i);
    auto& group = groups[static_cast<size_t>(i)];
    captures.push_back({name == names.end() ? std::string_view() : std::string_view(name->second),
                        std::string_view(group.data(), group.size())});
  }
  return true;
}

Matcher::Matcher(const MatchOptions& options)
    : options_(&options),
      path_only_(options.methods.empty() && options.headers.empty() && options.query.empty() &&
                 options.cookies.empty() && options.clients.empty()),
      everything_(options.empty()) {}

bool Matcher::matches(Exchange& exchange) const {
  if (everything_) return true;
  if (!path_only_ && !(matches_method(exchange.request()) && matches_rest(exchange))) return false;
  return matches_path(exchange);  // last, for it leaves captures
}

bool Matcher::matches_path(Exchange& exchange) const {
  if (options_->paths.empty() && options_->globs.empty()) return true;
  std::string_view path = exchange.request().path;
  for (const PathPattern& pattern : options_->paths) {
    switch (pattern.kind) {
      case PathPattern::Kind::exact:
        if (path == pattern.text) return true;
        break;
      case PathPattern::Kind::prefix:
        if (is_under(path, pattern.text)) return true;
        break;
      case PathPattern::Kind::regex:
        if (match_captures(pattern.regex, path, exchange.captures())) return true;
        break;
    }
  }
  return std::ranges::any_of(options_->globs, [&](auto& glob) { return glob.matches(path); });
}

bool Matcher::matches_method(const Request& request) const {
  if (options_->methods.empty()) return true;
  return std::ranges::any_of(options_->methods, [&](const std::string& method) {
    return method == request.method_text || (request.method == Method::head && method == "GET");
  });
}

bool Matcher::matches_rest(const Exchange& exchange) const {
  const Request& request = exchange.request();
  std::string scratch;
  return (options_->clients.empty() || options_->clients.contains(exchange.client())) &&
         std::ranges::all_of(options_->headers,
                             [&](auto& p) { return matches_header(request.fields, p); }) &&
         std::ranges::all_of(options_->query,
                             [&](auto& p) {
                               auto value = query_value(request.query, p.name, scratch);
                               return matches_optional(p.value, value);
                             }) &&
         std::ranges::all_of(options_->cookies, [&](auto& p) {
           return matches_optional(p.value, cookie(request.fields, p.name));
         });
}

}  // namespace http
