#include "config/reader.h"

#include <filesystem>
#include <format>
#include <utility>

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
