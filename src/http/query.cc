#include "http/query.h"

#include <algorithm>
#include <utility>

#include "base/escape.h"

namespace http {

namespace {

std::string_view decode(std::string_view text, std::string& scratch) {
  if (text.find_first_of("%+") == std::string_view::npos) return text;
  std::string spaced(text);
  for (char& c : spaced) {
    if (c == '+') c = ' ';
  }
  scratch.clear();
  if (!base::append_percent_decoded(scratch, spaced)) scratch = std::move(spaced);
  return scratch;
}

}  // namespace

std::optional<std::string_view> query_value(std::string_view query, std::string_view name,
                                            std::string& scratch) {
  while (!query.empty()) {
    std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    size_t equals = pair.find('=');
    if (decode(pair.substr(0, equals), scratch) != name) continue;
    if (equals == std::string_view::npos) return std::string_view();
    return decode(pair.substr(equals + 1), scratch);
  }
  return std::nullopt;
}

}  // namespace http
