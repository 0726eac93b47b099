// Entity tags (RFC 9110 8.8.3): parsing, comparing, and the tags of files.
//
// A file's tag is strong and made of its modification time in nanoseconds and its size, with the
// content coding at its end where one applies: another coding is another representation.
// Pure functions, any thread; views into the arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace http {

struct EntityTag {
  std::string_view opaque;  // with its quotes: "abc"
  bool weak = false;
};

// The whole text is one tag: `"abc"` or `W/"abc"` (the W in upper case, RFC 9110 8.8.3).
std::optional<EntityTag> parse_entity_tag(std::string_view text);

// Equal in opaque part, and neither weak (RFC 9110 8.8.3.2).
bool equal_strongly(const EntityTag& a, const EntityTag& b);
bool equal_weakly(const EntityTag& a, const EntityTag& b);

enum class TagComparison : std::uint8_t { kStrong, kWeak };

// Whether a list (If-Match, If-None-Match) holds the tag. Elements that aren't tags (unquoted ones)
// match nothing. `*` alone is the caller's.
bool tag_list_contains(std::string_view list, const EntityTag& tag, TagComparison comparison);

// `"16a3f0c9d1b2a345-1f4"`, `"16a3f0c9d1b2a345-1f4-br"`; at most kFileTagSizeMax bytes.
inline constexpr std::size_t kFileTagSizeMax = 48;
void append_file_tag(std::string& out, std::int64_t modified_nanoseconds, std::uint64_t size,
                     std::string_view coding = {});

}  // namespace http
