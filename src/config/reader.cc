#include "config/reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <format>
#include <utility>

#include "base/text.h"

namespace config {

void Reader::error(const Node& node, std::string message, std::string hint) {
  if (node.broken) return;
  diagnostics_.error(place(source(node), node), std::move(message), std::move(hint));
}

void Reader::error_within(const Node& node, std::size_t offset, std::size_t size,
                          std::string message, std::string hint) {
  if (node.broken) return;
  diagnostics_.error(place_within(source(node), node, offset, size), std::move(message),
                     std::move(hint));
}

void Reader::warning(const Node& node, std::string message, std::string hint) {
  if (node.broken) return;
  diagnostics_.warning(place(source(node), node), std::move(message), std::move(hint));
}

void Groups::add(const Groups& other) {
  names.insert(names.end(), other.names.begin(), other.names.end());
  count = std::max(count, other.count);
  unknown = unknown || other.unknown;
}

void Reader::add_groups(const http::Regex& regex) {
  if (!regex) {
    groups.unknown = true;
    return;
  }
  groups.count =
      std::max(groups.count, static_cast<std::size_t>(regex.re2().NumberOfCapturingGroups()) + 1);
  for (const auto& [name, number] : regex.re2().NamedCapturingGroups()) {
    groups.names.push_back(name);
  }
}

void Reader::check_matches(std::size_t from, const Groups& among) {
  for (std::size_t i = from; i < match_references.size() && !among.unknown; ++i) {
    const MatchReference& reference = match_references[i];
    const auto number = base::parse_decimal(reference.name);
    if (number ? *number < among.count : std::ranges::contains(among.names, reference.name)) {
      continue;
    }
    std::string hint = did_you_mean(reference.name, {among.names.begin(), among.names.end()});
    if (hint.empty() && among.count == 0) {
      hint =
          "groups come from match: {path: \"~^/u/(?<id>[0-9]+)$\"} of the route, or from rewrite";
    }
    error_within(*reference.node, reference.offset, reference.name.size() + sizeof "{match.}" - 1,
                 std::format("no regular expression here has a group {}",
                             number ? reference.name : in_quotes(reference.name)),
                 std::move(hint));
  }
  match_references.resize(std::min(from, match_references.size()));
}

const std::string* Reader::scalar(const Node& node, std::string_view expected) {
  if (node.broken) return nullptr;
  if (node.kind == Node::Kind::scalar) return &node.text;
  // `to: {request.uri}` is a map to YAML, whose one key has no value.
  const bool braces = node.kind == Node::Kind::map && node.entries.size() == 1 &&
                      node.entries[0].value->kind == Node::Kind::null;
  error(node, std::format("expected {}, found {}", expected, kind_name(node)),
        braces ? "put text that begins with a brace in quotes" : "");
  return nullptr;
}

std::size_t Reader::line(const Node& node) const { return source(node).position(node.offset).line; }

std::string Reader::resolve_path(const Node& node, std::string_view path) const {
  if (path.empty() || path.starts_with('/')) return std::string(path);
  const std::filesystem::path joined = source(node).folder() + std::string(path);
  return joined.lexically_normal().string();
}

}  // namespace config
