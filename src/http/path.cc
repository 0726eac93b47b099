#include "http/path.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "base/bytes16.h"
#include "base/escape.h"
#include "base/text.h"

namespace http {
namespace {

// Whether 16 bytes hold something that the canonical form may not, or a slash before a slash or
// dot.
bool is_remarkable16(const char* p) {
  const base::Bytes16 here = base::load16(p);
  const base::Bytes16 next = base::load16(p + 1);
  const base::Bytes16 pair =
      base::equal16(here, '/') & (base::equal16(next, '/') | base::equal16(next, '.'));
  const base::Bytes16 special = base::equal16(here, '%') | base::equal16(here, '\\') |
                                base::equal16(here, '?') | base::equal16(here, '#') |
                                base::equal16(here, 0x7f) | base::below16(here, 0x20);
  return base::any16(pair | special);
}

constexpr bool is_special(char c) {
  return base::is_control(c) || c == '%' || c == '\\' || c == '?' || c == '#';
}

// True only if the path is its own canonical form. (`/.hidden` isn't found to be, and is.)
bool is_plainly_canonical(std::string_view raw) {
  const char* p = raw.data();
  const char* end = p + raw.size();
  if (raw.size() > 16) {
    for (; end - p > 16; p += 16) {
      if (is_remarkable16(p)) return false;
    }
    // The last block overlaps what was looked at before it.
    return !is_remarkable16(end - 17) && !is_special(end[-1]);
  }
  // Filled up with what is not remarkable.
  char filled[32];
  std::memset(filled, 'a', sizeof filled);
  std::memcpy(filled, p, raw.size());
  return !is_remarkable16(filled);
}

// What stays percent-encoded: it would be a separator, or a line's end, where the path lands.
constexpr bool stays_encoded(char c) {
  return base::is_control(c) || c == '/' || c == '%' || c == '?' || c == '#';
}

// Whether other software could see a `.` or `..` segment inside of this segment, which is none
// itself: it may take `\` and `%2F` for slashes and cut what follows `;`.
bool has_ambiguous_dots(std::string_view segment) {
  if (segment.find('.') == std::string_view::npos) return false;
  std::size_t begin = 0;
  while (begin <= segment.size()) {
    std::size_t end = begin;
    std::size_t separator = 0;
    for (; end < segment.size(); ++end) {
      if (segment[end] == '\\') separator = 1;
      if (segment.substr(end).starts_with("%2F")) separator = 3;
      if (separator != 0) break;
    }
    const std::string_view piece = segment.substr(begin, end - begin);
    const std::string_view name = piece.substr(0, piece.find(';'));
    // The segment as a whole isn't dots; a piece of it is only if something was cut off.
    if ((name == "." || name == "..") && name.size() != segment.size()) return true;
    if (separator == 0) break;
    begin = end + separator;
  }
  return false;
}

// Builds the canonical form segment by segment.
class Normaliser {
 public:
  Normaliser(std::string_view raw, char* out) : raw_(raw), begin_(out), end_(out) {}

  std::expected<std::string_view, PathError> run() {
    while (at_ < raw_.size()) {
      while (at_ < raw_.size() && raw_[at_] == '/') ++at_;  // repeated slashes are one
      *end_++ = '/';
      char* const segment = end_;
      if (const auto error = decode_segment()) return std::unexpected(*error);
      if (const auto error = resolve(segment)) return std::unexpected(*error);
    }
    return std::string_view(begin_, end_);
  }

 private:
  // Copies up to the next raw slash, decoding.
  std::optional<PathError> decode_segment() {
    for (; at_ < raw_.size() && raw_[at_] != '/'; ++at_) {
      char c = raw_[at_];
      if (c != '%') {
        if (base::is_control(c) || c == '?' || c == '#') return PathError::kBadCharacter;
        *end_++ = c;
        continue;
      }
      const int high = at_ + 2 < raw_.size() ? base::hex_value(raw_[at_ + 1]) : -1;
      const int low = at_ + 2 < raw_.size() ? base::hex_value(raw_[at_ + 2]) : -1;
      if (high < 0 || low < 0) return PathError::kBadEscape;
      c = static_cast<char>(high << 4 | low);
      if (c == '\0') return PathError::kNul;
      if (stays_encoded(c)) {
        *end_++ = '%';
        *end_++ = base::kUpperHex[high];
        *end_++ = base::kUpperHex[low];
      } else {
        *end_++ = c;
      }
      at_ += 2;
    }
    return std::nullopt;
  }

  // Takes back a dot segment, which began at `segment`, and for `..` the one before it.
  std::optional<PathError> resolve(char* segment) {
    const std::string_view text(segment, end_);
    if (text == ".") {
      end_ = drop_slash_unless_last(segment);
    } else if (text == "..") {
      char* slash = segment - 1;
      if (slash == begin_) return PathError::kAboveRoot;
      while (*--slash != '/') {
      }
      end_ = drop_slash_unless_last(slash + 1);
    } else if (has_ambiguous_dots(text)) {
      return PathError::kAmbiguousDots;
    }
    return std::nullopt;
  }

  // `/a/.` is `/a/`, but `/a/./b` is `/a/b`: the next segment brings its own slash.
  char* drop_slash_unless_last(char* segment) { return at_ < raw_.size() ? segment - 1 : segment; }

  std::string_view raw_;
  std::size_t at_ = 0;
  char* begin_;
  char* end_;
};

}  // namespace

std::string_view to_string(PathError error) {
  switch (error) {
    case PathError::kNotAbsolute:
      return "the path does not begin with a slash";
    case PathError::kBadEscape:
      return "a % in the path is not followed by two hexadecimal digits";
    case PathError::kNul:
      return "the path has a NUL";
    case PathError::kBadCharacter:
      return "the path has a byte that no path has";
    case PathError::kAboveRoot:
      return "the path climbs above the root";
    case PathError::kAmbiguousDots:
      return "the path hides a dot segment";
  }
  return {};
}

std::expected<std::string_view, PathError> canonical_path(std::string_view raw, char* scratch) {
  if (!raw.starts_with('/')) return std::unexpected(PathError::kNotAbsolute);
  if (is_plainly_canonical(raw)) return raw;
  return Normaliser(raw, scratch).run();
}

std::optional<std::string_view> file_path(std::string_view canonical, char* scratch) {
  if (canonical.find('%') == std::string_view::npos) return canonical;
  char* out = scratch;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    char c = canonical[i];
    if (c == '%' && i + 2 < canonical.size()) {
      c = static_cast<char>(base::hex_value(canonical[i + 1]) << 4 |
                            base::hex_value(canonical[i + 2]));
      if (c == '/' || c == '\0') return std::nullopt;
      i += 2;
    }
    *out++ = c;
  }
  return std::string_view(scratch, out);
}

void append_target_path(std::string& out, std::string_view canonical) {
  base::append_url_path(out, canonical);
}

bool is_under(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  return path.size() == prefix.size() || prefix.empty() || prefix.ends_with('/') ||
         path[prefix.size()] == '/';
}

std::optional<std::string_view> strip_prefix(std::string_view path, std::string_view prefix) {
  if (!is_under(path, prefix)) return std::nullopt;
  // The slash at the prefix's end is also the one that the rest begins with.
  const std::size_t kept = prefix.ends_with('/') ? prefix.size() - 1 : prefix.size();
  const std::string_view rest = path.substr(kept);
  return rest.empty() ? std::string_view("/") : rest;
}

void append_joined(std::string& out, std::string_view prefix, std::string_view rest) {
  if (rest.empty()) {
    out += prefix.empty() ? "/" : prefix;
    return;
  }
  if (prefix.ends_with('/')) prefix.remove_suffix(1);
  if (rest.starts_with('/')) rest.remove_prefix(1);
  out += prefix;
  out += '/';
  out += rest;
}

void append_stripped_target_path(std::string& out, std::string_view raw, std::string_view canonical,
                                 std::string_view prefix) {
  const std::string_view stripped = strip_prefix(canonical, prefix).value_or(canonical);
  if (raw == canonical) {
    out += stripped;
    return;
  }
  if (const auto raw_stripped = strip_prefix(raw, prefix)) {
    std::string scratch(raw_stripped->size(), '\0');
    const auto meaning = canonical_path(*raw_stripped, scratch.data());
    if (meaning && *meaning == stripped) {
      out += *raw_stripped;
      return;
    }
  }
  append_target_path(out, stripped);
}

}  // namespace http
