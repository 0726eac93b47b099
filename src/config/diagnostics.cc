#include "config/diagnostics.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace config {
namespace {

constexpr std::size_t kQuotedSizeMax = 80;
constexpr std::size_t kMessageSizeMax = 600;
constexpr std::size_t kLineSizeMax = 160;  // what is shown of a line
constexpr std::size_t kLineBefore = 100;   // of it before the place, where the line is longer

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// One space for each control character, so that columns stay where they are.
std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, base::is_control, ' ');
  const bool valid = first_bad_byte(out) == std::string_view::npos;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto next = static_cast<unsigned char>(i + 1 < out.size() ? out[i + 1] : 0);
    // U+0080 to U+009F speak to terminals, too.
    if (valid && out[i] == '\xc2' && next < 0xa0) out.replace(i, 2, "??");
    if (!valid && static_cast<unsigned char>(out[i]) >= 0x80) out[i] = '?';
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues(byte); }));
}

struct Excerpt {
  std::string line;
  std::size_t before = 0;  // columns before the place
  std::size_t marked = 1;  // columns of the place
};

Excerpt excerpt(std::string_view line, std::size_t column, std::size_t size) {
  std::size_t at = std::min(column - 1, line.size());
  std::size_t marked = std::min(std::max<std::size_t>(size, 1), line.size() - at);
  std::string_view lead;
  if (line.size() > kLineSizeMax) {
    std::size_t from = at > kLineBefore ? at - kLineBefore : 0;
    while (from > 0 && continues(line[from])) --from;
    std::size_t end = std::min(from + kLineSizeMax, line.size());
    while (end > from && end < line.size() && continues(line[end])) --end;
    line = line.substr(from, end - from);
    at -= from;
    marked = std::min(marked, line.size() - at);
    if (from > 0) lead = "...";
  }
  return {.line = std::string(lead) + printable(line),
          .before = columns(line.substr(0, at)) + lead.size(),
          .marked = std::max<std::size_t>(columns(line.substr(at, marked)), 1)};
}

}  // namespace

void Diagnostics::add(Item item) {
  item.message = printable(std::string_view(item.message).substr(0, kMessageSizeMax));
  item.hint = printable(std::string_view(item.hint).substr(0, kMessageSizeMax));
  for (const Item& known : items_) {
    if (known.place.file == item.place.file && known.place.offset == item.place.offset &&
        known.message == item.message) {
      return;
    }
  }
  const std::size_t known = item.warning ? items_.size() - errors_ : errors_;
  if (known == kErrorsMax) {
    more_ = more_ || !item.warning;
    return;
  }
  if (!item.warning) ++errors_;
  items_.push_back(std::move(item));
}

std::string Diagnostics::text(const Sources& sources) const {
  std::vector<const Item*> sorted;
  for (const Item& item : items_) sorted.push_back(&item);
  std::ranges::stable_sort(
      sorted, {}, [](const Item* item) { return std::pair(item->place.file, item->place.offset); });
  std::string out;
  if (!failure_.empty()) out = std::format("error: {}\n", printable(failure_));
  for (const Item* error : sorted) {
    const Source& source = sources[error->place.file];
    const Source::Position position = source.position(error->place.offset);
    out += std::format("{}:{}:{}: {}: {}\n", source.name(), position.line, position.column,
                       error->warning ? "warning" : "error", error->message);
    const Excerpt shown = excerpt(source.line(position.line), position.column, error->place.size);
    out += std::format("{:>5} | {}\n", position.line, shown.line);
    out += std::format("      | {}^{}\n", std::string(shown.before, ' '),
                       std::string(shown.marked - 1, '~'));
    if (!error->hint.empty()) out += std::format("        {}\n", error->hint);
  }
  if (more_) out += std::format("and more; these are the first {} errors\n", kErrorsMax);
  return out;
}

std::string in_quotes(std::string_view text) {
  const bool cut = text.size() > kQuotedSizeMax;
  if (cut) {
    std::size_t end = kQuotedSizeMax;
    while (end > 0 && continues(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (base::is_control(c)) {
      out += std::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  out += cut ? "...\"" : "\"";
  return out;
}

std::string either(const std::vector<std::string_view>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += std::format("\"{}\"", words[i]);
  }
  return out;
}

std::string did_you_mean(std::string_view text, const std::vector<std::string_view>& candidates) {
  std::string_view found = base::closest(text, candidates);
  for (const std::string_view candidate : candidates) {  // "warn" of "warning"
    if (found.empty() && text.size() > 1 && candidate.starts_with(text)) found = candidate;
  }
  return found.empty() ? std::string() : std::format("did you mean {}?", in_quotes(found));
}

}  // namespace config
