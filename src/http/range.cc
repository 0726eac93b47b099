#include "http/range.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.h"

namespace http {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

// A number as large as it likes: beyond 64 bits it is as good as the largest (CVE-2017-7529).
std::optional<std::uint64_t> parse_position(std::string_view digits) {
  if (digits.empty() || !std::ranges::all_of(digits, base::is_digit)) return std::nullopt;
  return base::parse_decimal(digits).value_or(kHuge);
}

enum class Spec : std::uint8_t { kBad, kUnsatisfiable, kSatisfiable };

// `0-99`, `100-`, `-50` (RFC 9110 14.1.2).
Spec parse_spec(std::string_view spec, std::uint64_t size, ByteRange& range) {
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return Spec::kBad;
  const std::string_view first = spec.substr(0, dash);
  const std::string_view last = spec.substr(dash + 1);
  if (first.empty()) {
    const auto suffix = parse_position(last);
    if (!suffix) return Spec::kBad;
    if (*suffix == 0 || size == 0) return Spec::kUnsatisfiable;
    range = {size - std::min(*suffix, size), size - 1};
    return Spec::kSatisfiable;
  }
  const auto from = parse_position(first);
  const auto to = last.empty() ? std::optional(kHuge) : parse_position(last);
  if (!from || !to || *to < *from) return Spec::kBad;
  if (*from >= size) return Spec::kUnsatisfiable;
  range = {*from, std::min(*to, size - 1)};
  return Spec::kSatisfiable;
}

// Overlapping, or with nothing between them.
bool touches(ByteRange a, ByteRange b) {
  return std::max(a.first, b.first) <= std::min(a.last, b.last) + 1;
}

std::size_t decimal_size(std::uint64_t number) {
  char digits[base::kDecimalSizeMax];
  return static_cast<std::size_t>(base::write_decimal(number, digits) - digits);
}

constexpr std::string_view kTypeLine = "Content-Type: ";
constexpr std::string_view kRangeLine = "Content-Range: ";

}  // namespace

// Takes in a range, and all that it touches then, where the earliest of them stands.
bool Ranges::add(ByteRange range) {
  std::size_t at = count_;
  for (std::size_t i = count_; i-- > 0;) {
    if (!touches(ranges_[i], range)) continue;
    range = {std::min(range.first, ranges_[i].first), std::max(range.last, ranges_[i].last)};
    std::copy(ranges_.begin() + i + 1, ranges_.begin() + count_, ranges_.begin() + i);
    --count_;
    at = std::min(at, i);
    // It has grown and may touch what it passed.
    i = count_;
  }
  if (count_ == kRangesMax) return false;
  std::copy_backward(ranges_.begin() + at, ranges_.begin() + count_, ranges_.begin() + count_ + 1);
  ranges_[at] = range;
  ++count_;
  return true;
}

Ranges Ranges::parse(std::string_view field, std::uint64_t size, std::string_view content_type) {
  constexpr std::string_view kUnit = "bytes=";
  if (field.size() < kUnit.size() || !base::iequals(field.substr(0, kUnit.size()), kUnit))
    return {};
  field.remove_prefix(kUnit.size());
  Ranges result;
  std::size_t specs = 0;
  while (const auto spec = base::next_piece(field, ',')) {
    if (spec->empty()) continue;  // RFC 9110 5.6.1.2
    if (++specs > kSpecsMax) return {};
    ByteRange range;
    const Spec kind = parse_spec(*spec, size, range);
    if (kind == Spec::kBad) return {};
    if (kind == Spec::kSatisfiable && !result.add(range)) return {};
  }
  if (specs == 0) return {};
  result.outcome_ = result.count_ == 0 ? Outcome::kUnsatisfiable : Outcome::kPartial;
  if (result.multipart() &&
      multipart_size(result.ranges(), size, content_type) > std::max(size, kSmallBodySize)) {
    return {};
  }
  return result;
}

void append_content_range(std::string& out, ByteRange range, std::uint64_t size) {
  out += "bytes ";
  base::append_decimal(out, range.first);
  out += '-';
  base::append_decimal(out, range.last);
  out += '/';
  base::append_decimal(out, size);
}

void append_unsatisfied_range(std::string& out, std::uint64_t size) {
  out += "bytes */";
  base::append_decimal(out, size);
}

void append_part_head(std::string& out, std::string_view boundary, std::string_view content_type,
                      ByteRange range, std::uint64_t size) {
  out += "\r\n--";
  out += boundary;
  out += "\r\n";
  if (!content_type.empty()) {
    out += kTypeLine;
    out += content_type;
    out += "\r\n";
  }
  out += kRangeLine;
  append_content_range(out, range, size);
  out += "\r\n\r\n";
}

void append_multipart_tail(std::string& out, std::string_view boundary) {
  out += "\r\n--";
  out += boundary;
  out += "--\r\n";
}

std::uint64_t multipart_size(std::span<const ByteRange> ranges, std::uint64_t size,
                             std::string_view content_type) {
  constexpr std::size_t kLineEnd = 2;
  std::uint64_t head = kLineEnd + 2 + kBoundarySize + kLineEnd + kRangeLine.size() + 2 * kLineEnd;
  head += std::string_view("bytes -/").size() + decimal_size(size);
  if (!content_type.empty()) head += kTypeLine.size() + content_type.size() + kLineEnd;
  std::uint64_t total = kLineEnd + 2 + kBoundarySize + 2 + kLineEnd;
  for (const ByteRange& range : ranges) {
    total += head + decimal_size(range.first) + decimal_size(range.last) + range.size();
  }
  return total;
}

}  // namespace http
