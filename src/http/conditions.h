// Preconditions (RFC 9110 13): what a conditional request asks, answered in the order of 13.2.2.
//
// One pure function from field values and validators to a verdict. It doesn't look at files and
// doesn't write the response; a 304 carries what RFC 9110 15.4.5 says, which is the handler's.
// Any thread. (F07)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace http {

// Field values; an empty view is an absent field. Several lines of one field are joined by ", ".
struct Preconditions {
  std::string_view if_match;
  std::string_view if_none_match;
  std::string_view if_modified_since;
  std::string_view if_unmodified_since;
  std::string_view if_range;

  bool empty() const {
    return if_match.empty() && if_none_match.empty() && if_modified_since.empty() &&
           if_unmodified_since.empty() && if_range.empty();
  }
};

// Of the selected representation.
struct Validators {
  std::string_view etag;                      // as in ETag, or empty
  std::optional<std::int64_t> last_modified;  // seconds
  bool exists = true;                         // false: there is none, `*` matches nothing
};

enum class ConditionVerdict : std::uint8_t {
  kPerform,       // do what the method says; Range counts
  kPerformWhole,  // the same, but If-Range failed: ignore Range
  kNotModified,   // 304
  kFailed,        // 412
};

// `is_get_or_head` picks 304 over 412 and lets If-Modified-Since count. `now`, in seconds, is for
// dates with two-digit years.
ConditionVerdict evaluate(const Preconditions& conditions, const Validators& validators,
                          bool is_get_or_head, std::int64_t now);

}  // namespace http
