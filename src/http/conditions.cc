#include "http/conditions.h"

#include "base/date.h"
#include "base/text.h"
#include "http/etag.h"

namespace http {
namespace {

// Step 1 of RFC 9110 13.2.2.
bool if_match_holds(std::string_view list, const Validators& validators) {
  if (base::trim(list) == "*") return validators.exists;
  const auto tag = parse_entity_tag(validators.etag);
  return validators.exists && tag && tag_list_contains(list, *tag, TagComparison::kStrong);
}

// Step 3: it holds if nothing matches.
bool if_none_match_holds(std::string_view list, const Validators& validators) {
  if (!validators.exists) return true;
  if (base::trim(list) == "*") return false;
  const auto tag = parse_entity_tag(validators.etag);
  return !tag || !tag_list_contains(list, *tag, TagComparison::kWeak);
}

// Step 5. A date must be the very same (RFC 9110 13.1.5).
bool if_range_holds(std::string_view value, const Validators& validators, std::int64_t now) {
  if (const auto tag = parse_entity_tag(value)) {
    const auto current = parse_entity_tag(validators.etag);
    return current && equal_strongly(*tag, *current);
  }
  const auto date = base::parse_http_date(value, now);
  return date && date == validators.last_modified;
}

}  // namespace

ConditionVerdict evaluate(const Preconditions& conditions, const Validators& validators,
                          bool is_get_or_head, std::int64_t now) {
  if (conditions.empty()) return ConditionVerdict::kPerform;
  const auto& modified = validators.last_modified;
  if (!conditions.if_match.empty()) {
    if (!if_match_holds(conditions.if_match, validators)) return ConditionVerdict::kFailed;
  } else if (!conditions.if_unmodified_since.empty() && modified) {
    // A date that is none counts as no condition, here and in step 4.
    const auto date = base::parse_http_date(conditions.if_unmodified_since, now);
    if (date && *modified > *date) return ConditionVerdict::kFailed;
  }
  if (!conditions.if_none_match.empty()) {
    if (!if_none_match_holds(conditions.if_none_match, validators)) {
      return is_get_or_head ? ConditionVerdict::kNotModified : ConditionVerdict::kFailed;
    }
  } else if (is_get_or_head && !conditions.if_modified_since.empty() && modified) {
    const auto date = base::parse_http_date(conditions.if_modified_since, now);
    if (date && *modified <= *date) return ConditionVerdict::kNotModified;
  }
  if (!conditions.if_range.empty() && !if_range_holds(conditions.if_range, validators, now)) {
    return ConditionVerdict::kPerformWhole;
  }
  return ConditionVerdict::kPerform;
}

}  // namespace http
