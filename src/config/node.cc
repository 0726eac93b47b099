#include "config/node.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace config {

std::size_t skip_properties(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '&' || text[at] == '!')) {
    std::size_t end = at;
    while (end < text.size() && !base::is_ows(text[end]) && text[end] != '\n') ++end;
    while (end < text.size() && base::is_ows(text[end])) ++end;
    if (end >= text.size() || text[end] == '\n') return at;
    at = end;
  }
  return at;
}

namespace {

std::string_view raw_text(const Node& node) {
  return node.expansions.empty() ? std::string_view(node.text) : std::string_view(node.raw);
}

std::size_t utf8_size(std::uint64_t code_point) {
  return code_point < 0x80 ? 1 : code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
}

// The source offset of the byte `target` of a quoted scalar that stands on one line; `at` is after
// the opening quote.
std::optional<std::size_t> walk_quoted(std::string_view text, std::size_t at, char quote,
                                       std::size_t target) {
  std::size_t decoded = 0;
  while (at < text.size() && text[at] != '\n') {
    std::size_t step = 1;
    std::size_t bytes = 1;
    if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) break;
      step = 2;
    } else if (quote == '"' && text[at] == '\\' && at + 1 < text.size()) {
      const char kind = text[at + 1];
      const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      step = 2 + digits;
      if (digits > 0) {
        bytes = utf8_size(base::parse_hex(text.substr(at + 2, digits)).value_or(0));
      } else if (kind == 'N' || kind == '_') {
        bytes = 2;
      } else if (kind == 'L' || kind == 'P') {
        bytes = 3;
      }
    }
    if (target < decoded + bytes) return at;
    at += step;
    decoded += bytes;
  }
  if (target == decoded) return at;
  return std::nullopt;
}

// Likewise of a block scalar (`|` or `>`), whose header is at `at`.
std::optional<std::size_t> walk_block(std::string_view text, std::size_t at, std::size_t target) {
  at = text.find('\n', at);
  if (at == std::string_view::npos) return std::nullopt;
  ++at;
  std::size_t indent = 0;
  for (std::size_t line = at; line < text.size();) {
    const std::size_t content = text.find_first_not_of(' ', line);
    if (content == std::string_view::npos) return std::nullopt;
    if (text[content] != '\n') {
      indent = content - line;
      break;
    }
    line = content + 1;
  }
  std::size_t decoded = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t begin = std::min(at + indent, end);
    if (target <= decoded + (end - begin)) return begin + (target - decoded);
    decoded += end - begin + 1;
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::size_t> locate(std::string_view text, const Node& node, std::size_t target) {
  const std::size_t at = skip_properties(text, node.offset);
  if (at >= text.size()) return std::nullopt;
  if (node.plain) {
    const std::string_view raw = raw_text(node);
    if (text.substr(at).starts_with(raw) && target <= raw.size()) return at + target;
    return std::nullopt;
  }
  if (text[at] == '"' || text[at] == '\'') return walk_quoted(text, at + 1, text[at], target);
  if (text[at] == '|' || text[at] == '>') return walk_block(text, at, target);
  return std::nullopt;
}

}  // namespace

Place place(const Source& source, const Node& node) {
  const std::string_view text = source.text();
  const std::size_t at = std::min(skip_properties(text, node.offset), text.size());
  std::size_t size = 0;
  if (node.kind == Node::Kind::scalar) {
    const std::string_view raw = raw_text(node);
    if (node.plain) {
      if (text.substr(at).starts_with(raw)) size = raw.size();
    } else if (const auto end = locate(text, node, raw.size())) {
      if (text[at] == '"' || text[at] == '\'') size = *end + 1 - at;
    }
  }
  return {.file = node.file,
          .offset = static_cast<std::uint32_t>(at),
          .size = static_cast<std::uint32_t>(size)};
}

Place place_in_raw(const Source& source, const Node& node, std::size_t offset, std::size_t size) {
  const auto at = locate(source.text(), node, offset);
  if (!at) return place(source, node);
  return {.file = node.file,
          .offset = static_cast<std::uint32_t>(*at),
          .size = static_cast<std::uint32_t>(size)};
}

Place place_within(const Source& source, const Node& node, std::size_t offset, std::size_t size) {
  std::size_t raw = offset;
  for (const Node::Expansion& expansion : node.expansions) {
    if (offset < expansion.begin) break;
    if (offset < expansion.end) {
      raw = expansion.raw_begin;
      size = expansion.raw_end - expansion.raw_begin;
      break;
    }
    raw = expansion.raw_end + (offset - expansion.end);
  }
  return place_in_raw(source, node, raw, size);
}

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::scalar:
      return "text";
    case Node::Kind::sequence:
      return "a list";
    case Node::Kind::map:
      return "a map";
  }
  return "nothing";
}

}  // namespace config
