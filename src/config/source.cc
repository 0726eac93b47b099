#include "config/source.h"

#include <algorithm>
#include <utility>

namespace config {

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  line_begins_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
}

std::string Source::folder() const {
  const std::size_t slash = name_.rfind('/');
  return slash == std::string::npos ? std::string() : name_.substr(0, slash + 1);
}

Source::Position Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::ranges::upper_bound(line_begins_, offset);
  const auto line = static_cast<std::size_t>(after - line_begins_.begin());
  return {.line = line, .column = offset - line_begins_[line - 1] + 1};
}

std::string_view Source::line(std::size_t number) const {
  const std::size_t begin = line_begin(number);
  std::string_view line = std::string_view(text_).substr(begin);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t Source::line_begin(std::size_t number) const { return line_begins_[number - 1]; }

std::size_t first_bad_byte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (byte == 0 || (byte >= 0x80 && byte < 0xc2) || byte > 0xf4 || i + size > text.size())
      return i;
    for (std::size_t k = 1; k < size; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return i;
    }
    i += size;
  }
  return std::string_view::npos;
}

std::uint32_t Sources::add(std::string name, std::string text) {
  sources_.emplace_back(std::move(name), std::move(text));
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

}  // namespace config
