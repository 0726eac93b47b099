#include "config/expand.h"

#include <format>
#include <utility>

#include "base/text.h"
#include "config/diagnostics.h"

namespace config {
namespace {

bool is_name_byte(char c, bool first) {
  return base::is_alpha(c) || c == '_' || (!first && base::is_digit(c));
}

// One `${…}` of the raw text.
struct Reference {
  std::size_t end = 0;  // after the brace
  std::string name;
  std::optional<std::string_view> fallback;
  std::string_view problem;  // not empty: it isn't well-formed
};

Reference parse_reference(std::string_view raw, std::size_t begin) {
  Reference reference;
  std::size_t at = begin + 2;
  while (at < raw.size() && is_name_byte(raw[at], at == begin + 2)) ++at;
  reference.name = raw.substr(begin + 2, at - begin - 2);
  reference.end = at;
  if (reference.name.empty()) {
    reference.problem = "\"${\" begins the name of an environment variable, but no name follows";
    return reference;
  }
  const std::size_t rest = at;
  std::size_t depth = 1;  // a default may hold {templates}
  for (; at < raw.size(); ++at) {
    if (raw[at] == '{') ++depth;
    if (raw[at] == '}' && --depth == 0) break;
  }
  if (at == raw.size()) {
    reference.problem = "\"${\" without its \"}\"";
    return reference;
  }
  reference.end = at + 1;
  const std::string_view inside = raw.substr(rest, at - rest);
  if (inside.starts_with(":-")) {
    reference.fallback = inside.substr(2);
  } else if (!inside.empty()) {
    reference.problem = "only ${NAME} and ${NAME:-default} are known";
  }
  return reference;
}

}  // namespace

std::vector<ExpandError> expand(Node& node, const Environment& environment) {
  std::vector<ExpandError> errors;
  if (node.text.find("${") == std::string::npos) return errors;
  node.raw = std::exchange(node.text, {});
  const std::string_view raw = node.raw;
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t found = raw.find("${", at);
    if (found == std::string_view::npos) break;
    if (found > at && raw[found - 1] == '$') {  // $${: the first dollar goes
      node.text += raw.substr(at, found - 1 - at);
      node.expansions.push_back({.begin = node.text.size(),
                                 .end = node.text.size() + 2,
                                 .raw_begin = found - 1,
                                 .raw_end = found + 2});
      node.text += "${";
      at = found + 2;
      continue;
    }
    node.text += raw.substr(at, found - at);
    Reference reference = parse_reference(raw, found);
    at = reference.end;
    const auto fail = [&](std::string message, std::string hint) {
      errors.push_back({.offset = found,
                        .size = reference.end - found,
                        .message = std::move(message),
                        .hint = std::move(hint)});
    };
    if (!reference.problem.empty()) {
      fail(std::string(reference.problem), "write $${ for a literal ${");
      node.text += raw.substr(found, reference.end - found);
      continue;
    }
    std::optional<std::string> value = environment(reference.name);
    if (reference.fallback && (!value || value->empty())) value = *reference.fallback;
    if (!value) {
      fail(std::format("the environment variable {} is not set", in_quotes(reference.name)),
           std::format("write ${{{}:-value}} to give it a default", reference.name));
      value = "";
    }
    if (node.text.size() + value->size() > kExpandedSizeMax) {
      fail("the value is longer than 1MiB with its variables put in", "");
      break;
    }
    node.expansions.push_back({.begin = node.text.size(),
                               .end = node.text.size() + value->size(),
                               .raw_begin = found,
                               .raw_end = reference.end});
    node.text += *value;
  }
  node.text += raw.substr(at);
  return errors;
}

}  // namespace config
