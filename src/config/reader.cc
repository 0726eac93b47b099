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
  error(node, std::format("expected {}, found {}", expected, kind_name(node)));
  return nullptr;
}

std::size_t Reader::line(const Node& node) const { return source(node).position(node.offset).line; }

std::string Reader::resolve_path(const Node& node, std::string_view path) const {
  if (path.empty() || path.starts_with('/')) return std::string(path);
  const std::filesystem::path joined = source(node).folder() + std::string(path);
  return joined.lexically_normal().string();
}

}  // namespace config
