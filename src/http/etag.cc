#include "http/etag.h"

#include "base/text.h"

namespace http {
namespace {

// etagc of RFC 9110 8.8.3: printable but for the quote, and everything beyond ASCII.
constexpr bool is_tag_char(char c) {
  return c == '!' || (c >= '#' && c != 0x7f) || static_cast<unsigned char>(c) >= 0x80;
}

// The tag at the front of `text` and what follows it.
std::optional<EntityTag> take_tag(std::string_view& text) {
  EntityTag tag;
  std::size_t i = 0;
  if (text.starts_with("W/")) {
    tag.weak = true;
    i = 2;
  }
  const std::size_t begin = i;
  if (i >= text.size() || text[i] != '"') return std::nullopt;
  ++i;
  while (i < text.size() && is_tag_char(text[i])) ++i;
  if (i >= text.size() || text[i] != '"') return std::nullopt;
  tag.opaque = text.substr(begin, i + 1 - begin);
  text.remove_prefix(i + 1);
  return tag;
}

}  // namespace

std::optional<EntityTag> parse_entity_tag(std::string_view text) {
  text = base::trim(text);
  const auto tag = take_tag(text);
  return text.empty() ? tag : std::nullopt;
}

bool equal_strongly(const EntityTag& a, const EntityTag& b) {
  return !a.weak && !b.weak && a.opaque == b.opaque;
}

bool equal_weakly(const EntityTag& a, const EntityTag& b) { return a.opaque == b.opaque; }

bool tag_list_contains(std::string_view list, const EntityTag& tag, TagComparison comparison) {
  while (!list.empty()) {
    list = base::trim_left(list);
    const auto element = take_tag(list);
    list = base::trim_left(list);
    if (element && (list.empty() || list.front() == ',')) {
      const bool equal = comparison == TagComparison::kStrong ? equal_strongly(*element, tag)
                                                              : equal_weakly(*element, tag);
      if (equal) return true;
    }
    // A comma may stand in a tag, so only what isn't one is skipped to the next.
    const std::size_t comma = list.find(',');
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

void append_file_tag(std::string& out, std::int64_t modified_nanoseconds, std::uint64_t size,
                     std::string_view coding) {
  out += '"';
  base::append_hex(out, static_cast<std::uint64_t>(modified_nanoseconds));
  out += '-';
  base::append_hex(out, size);
  if (!coding.empty()) {
    out += '-';
    out += coding;
  }
  out += '"';
}

}  // namespace http
