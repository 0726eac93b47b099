#include <algorithm>

#include "config/keys.h"
#include "http/syntax.h"

namespace config {
namespace {

using http::MatchOptions;
using http::NamedPattern;
using http::PathPattern;
using http::ValuePattern;

bool read_path_pattern(Reader& reader, const Node& node, PathPattern& out) {
  const std::string* text = reader.scalar(node, "a path like /api/*");
  if (text == nullptr) return false;
  if (text->starts_with('~')) {
    out.kind = PathPattern::Kind::regex;
    const bool good = read_regex(reader, node, 1, out.regex);
    reader.add_groups(out.regex);
    return good;
  }
  std::string_view path = *text;
  if (path.starts_with('^')) {
    reader.error(node, std::format("{} doesn't begin with a slash", in_quotes(*text)),
                 std::format("write {} for a regular expression", in_quotes("~" + *text)));
    return false;
  }
  if (path == "*") path = "/*";
  out.kind = path.ends_with("/*") ? PathPattern::Kind::prefix : PathPattern::Kind::exact;
  if (out.kind == PathPattern::Kind::prefix) path.remove_suffix(2);
  if (const std::size_t star = path.find_first_of("*"); star != std::string_view::npos) {
    reader.error_within(node, star, 1, "a * in the middle of a path",
                        std::format("write glob: {} for patterns, or end the path with /*",
                                    in_quotes(rooted_glob(*text))));
    return false;
  }
  if (out.kind == PathPattern::Kind::prefix && path.empty()) return true;
  Node plain = node;  // checked without its /*
  if (!plain.expansions.empty() || path.size() != text->size()) plain.text = path;
  return url_path().read(reader, plain, out.text);
}

Type<PathPattern> path_pattern() {
  Type<PathPattern> type;
  type.shape = {.kind = Shape::Kind::pattern,
                .label = "path (`/health`), prefix (`/api/*`) or regular expression (`~^/u/`)",
                .pattern = "^(/|~|\\*$|\\$)"};
  type.read = read_path_pattern;
  return type;
}

bool read_value_pattern(Reader& reader, const Node& node, ValuePattern& out) {
  const std::string* text = reader.scalar(node, "a value, * or ~REGEX");
  if (text == nullptr) return false;
  if (text->starts_with('~')) {
    out.kind = ValuePattern::Kind::regex;
    return read_regex(reader, node, 1, out.regex);
  }
  out.kind = *text == "*"   ? ValuePattern::Kind::present
             : *text == "!" ? ValuePattern::Kind::absent
                            : ValuePattern::Kind::exact;
  if (out.kind == ValuePattern::Kind::exact) out.text = *text;
  return true;
}

// A map of names to value patterns; `fields`: names are field names.
Type<std::vector<NamedPattern>> named_patterns(bool fields) {
  Type<std::vector<NamedPattern>> type;
  type.shape.kind = Shape::Kind::map;
  type.shape.label = "map of names to values (`1`, `*` any, `!` none, `~^y` regular expression)";
  type.shape.items = {{.kind = Shape::Kind::any_text, .label = "value"}};
  type.read = [fields](Reader& reader, const Node& node, std::vector<NamedPattern>& out) {
    if (node.kind != Node::Kind::map) {
      reader.error(node, std::format("expected a map of names, found {}", kind_name(node)),
                   "write {NAME: VALUE}, or {NAME: \"*\"} for any value");
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : node.entries) {
      NamedPattern pattern{.name = entry.key->text, .value = {}};
      if (fields && !http::is_token(pattern.name)) {
        reader.error(*entry.key, std::format("{} is not a field's name", in_quotes(pattern.name)));
        good = false;
      }
      if (!read_value_pattern(reader, *entry.value, pattern.value)) good = false;
      out.push_back(std::move(pattern));
    }
    return good;
  };
  return type;
}

Type<std::string> method() {
  Type<std::string> type = text("method");
  type.format = nullptr;
  type.read = [read = type.read](Reader& reader, const Node& node, std::string& out) {
    std::string name;
    if (!read(reader, node, name)) return false;
    if (!http::is_token(name)) {
      reader.error(node, std::format("{} is not a method", in_quotes(name)));
      return false;
    }
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
    });
    if (upper != name) {
      // RFC 9110 9.1: methods are case-sensitive.
      reader.error(node, std::format("the method {} is not in capitals", in_quotes(name)),
                   std::format("write {}", upper));
      return false;
    }
    out = std::move(name);
    return true;
  };
  return type;
}

}  // namespace

const Object<MatchOptions>& match_keys() {
  static const Object<MatchOptions> object = [] {
    Object<MatchOptions> keys("match", "Conditions of a route: all that are given must hold.");
    keys.key("path", list_of(path_pattern(), 1000), &MatchOptions::paths,
             "Any of these, on the canonical path. `/api/*` is `/api` and all beneath it.")
        .example("[/api/*, /health]");
    keys.key("glob", list_of(glob(), 1000), &MatchOptions::globs,
             "Any of these, or of `path`. `*` stays within a segment, `**` doesn't.")
        .example("/**/*.php");
    keys.key("method", list_of(method(), 32), &MatchOptions::methods,
             "Any of these. GET stands for HEAD, too.")
        .example("[GET, POST]");
    keys.key("header", named_patterns(true), &MatchOptions::headers, "Fields of the request.")
        .example("{X-Debug: \"1\"}");
    keys.key("query", named_patterns(false), &MatchOptions::query, "Parameters of the query.")
        .example("{page: \"*\"}");
    keys.key("cookie", named_patterns(false), &MatchOptions::cookies, "Cookies.")
        .example("{beta: \"~^y\"}");
    keys.key("client", networks(), &MatchOptions::clients, "Networks of the client address.")
        .example("[10.0.0.0/8]");
    keys.check([](Reader& reader, const Node& node, MatchOptions&) {
      bool good = true;
      for (const Node::Entry& entry : node.entries) {
        if (entry.value->kind != Node::Kind::sequence || !entry.value->items.empty()) continue;
        reader.error(*entry.value, "an empty list, of which none can match",
                     "write at least one, or leave the key out");
        good = false;
      }
      return good;
    });
    return keys;
  }();
  return object;
}

Type<MatchOptions> match() {
  return object_or_short(match_keys,
                         mapped<MatchOptions>(list_of(path_pattern(), 1000),
                                              [](MatchOptions& out, std::vector<PathPattern>&& p) {
                                                out.paths = std::move(p);
                                              }),
                         "keys");
}

}  // namespace config
