// Ranges, entity tags, preconditions and dates: disjoint, inside, and never more than the whole.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/date.h"
#include "http/conditions.h"
#include "http/etag.h"
#include "http/range.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_ranges(std::string_view field, std::uint64_t size) {
  const http::Ranges parsed = http::Ranges::parse(field, size, "text/html");
  const auto ranges = parsed.ranges();
  check((parsed.outcome() == http::Ranges::Outcome::kPartial) == !ranges.empty());
  check(ranges.size() <= http::Ranges::kRangesMax);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    check(ranges[i].first <= ranges[i].last && ranges[i].last < size);
    total += ranges[i].size();
    for (std::size_t j = 0; j < i; ++j) {
      check(ranges[i].last + 1 < ranges[j].first || ranges[j].last + 1 < ranges[i].first);
    }
  }
  check(total <= size);
  if (parsed.multipart()) {
    const std::uint64_t body = http::multipart_size(ranges, size, "text/html");
    check(body <= size || body <= http::Ranges::kSmallBodySize);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t entity_size = 0;
  if (size < sizeof entity_size) return 0;
  std::memcpy(&entity_size, data, sizeof entity_size);
  const std::string_view input(reinterpret_cast<const char*>(data) + sizeof entity_size,
                               size - sizeof entity_size);
  check_ranges(input, entity_size);
  check_ranges(input, entity_size % 1000);

  if (const auto tag = http::parse_entity_tag(input)) {
    check(tag->opaque.size() >= 2);
    check(http::tag_list_contains(input, *tag, http::TagComparison::kWeak));
    check(http::tag_list_contains(input, *tag, http::TagComparison::kStrong) == !tag->weak);
  }
  if (const auto date = base::parse_http_date(input, 1'760'000'000)) {
    char text[base::kHttpDateSize];
    base::write_http_date(*date, text);
    check(base::parse_http_date({text, sizeof text}, 1'760'000'000) == date);
  }
  const http::Validators validators{.etag = "\"a\"", .last_modified = 784111777};
  for (bool read : {true, false}) {
    http::Preconditions conditions{input, input, input, input, input};
    const auto verdict = http::evaluate(conditions, validators, read, 1'760'000'000);
    check(read || verdict != http::ConditionVerdict::kNotModified);
  }
  return 0;
}
