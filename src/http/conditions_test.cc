#include "http/conditions.h"

#include <gtest/gtest.h>

namespace http {
namespace {

using enum ConditionVerdict;

constexpr std::string_view kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr std::string_view kThen = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";
constexpr std::int64_t kThenSeconds = 784111777;
constexpr std::int64_t kNow = 1'760'000'000;

const Validators kFile{.etag = "\"a\"", .last_modified = kThenSeconds};

ConditionVerdict get(const Preconditions& conditions, const Validators& validators = kFile) {
  return evaluate(conditions, validators, true, kNow);
}

ConditionVerdict put(const Preconditions& conditions, const Validators& validators = kFile) {
  return evaluate(conditions, validators, false, kNow);
}

// One field is set; the others are absent.
Preconditions with(std::string_view Preconditions::* field, std::string_view value) {
  Preconditions conditions;
  conditions.*field = value;
  return conditions;
}

constexpr auto kIfMatch = &Preconditions::if_match;
constexpr auto kIfNoneMatch = &Preconditions::if_none_match;
constexpr auto kIfModifiedSince = &Preconditions::if_modified_since;
constexpr auto kIfUnmodifiedSince = &Preconditions::if_unmodified_since;
constexpr auto kIfRange = &Preconditions::if_range;

TEST(ConditionsTest, NoneAtAll) { EXPECT_EQ(get({}), kPerform); }

TEST(ConditionsTest, F07IfMatch) {
  EXPECT_EQ(get(with(kIfMatch, "\"a\"")), kPerform);
  EXPECT_EQ(get(with(kIfMatch, "\"x\", \"a\"")), kPerform);
  EXPECT_EQ(get(with(kIfMatch, "*")), kPerform);
  EXPECT_EQ(get(with(kIfMatch, "\"x\"")), kFailed);
  EXPECT_EQ(get(with(kIfMatch, "W/\"a\"")), kFailed);
  EXPECT_EQ(get(with(kIfMatch, "a")), kFailed);
  EXPECT_EQ(put(with(kIfMatch, "*"), {.etag = {}, .last_modified = {}, .exists = false}), kFailed);
  EXPECT_EQ(get(with(kIfMatch, "\"a\""), {.etag = "W/\"a\"", .last_modified = {}}), kFailed);
  EXPECT_EQ(get(with(kIfMatch, "\"a\""), {}), kFailed);
}

TEST(ConditionsTest, F07IfUnmodifiedSince) {
  EXPECT_EQ(get(with(kIfUnmodifiedSince, kBefore)), kFailed);
  EXPECT_EQ(get(with(kIfUnmodifiedSince, kThen)), kPerform);
  EXPECT_EQ(get(with(kIfUnmodifiedSince, "yesterday")), kPerform);
  EXPECT_EQ(get(with(kIfUnmodifiedSince, kBefore), {}), kPerform);
  Preconditions both = with(kIfUnmodifiedSince, kBefore);
  both.if_match = "\"a\"";
  EXPECT_EQ(get(both), kPerform) << "If-Match replaces it";
}

TEST(ConditionsTest, F07IfNoneMatch) {
  EXPECT_EQ(get(with(kIfNoneMatch, "\"a\"")), kNotModified);
  EXPECT_EQ(get(with(kIfNoneMatch, "W/\"a\"")), kNotModified);
  EXPECT_EQ(get(with(kIfNoneMatch, "\"x\", W/\"a\"")), kNotModified);
  EXPECT_EQ(get(with(kIfNoneMatch, " * ")), kNotModified);
  EXPECT_EQ(get(with(kIfNoneMatch, "\"x\"")), kPerform);
  EXPECT_EQ(get(with(kIfNoneMatch, "a")), kPerform);
  EXPECT_EQ(put(with(kIfNoneMatch, "\"a\"")), kFailed);
  EXPECT_EQ(put(with(kIfNoneMatch, "*")), kFailed);
  EXPECT_EQ(put(with(kIfNoneMatch, "*"), {.etag = {}, .last_modified = {}, .exists = false}),
            kPerform);
}

TEST(ConditionsTest, F07IfModifiedSince) {
  EXPECT_EQ(get(with(kIfModifiedSince, kThen)), kNotModified);
  EXPECT_EQ(get(with(kIfModifiedSince, kAfter)), kNotModified);
  EXPECT_EQ(get(with(kIfModifiedSince, kBefore)), kPerform);
  EXPECT_EQ(get(with(kIfModifiedSince, "0")), kPerform);
  EXPECT_EQ(put(with(kIfModifiedSince, kThen)), kPerform);
  EXPECT_EQ(get(with(kIfModifiedSince, kThen), {}), kPerform);
  Preconditions both = with(kIfModifiedSince, kThen);
  both.if_none_match = "\"x\"";
  EXPECT_EQ(get(both), kPerform) << "If-None-Match replaces it";
}

TEST(ConditionsTest, F07IfRange) {
  EXPECT_EQ(get(with(kIfRange, "\"a\"")), kPerform);
  EXPECT_EQ(get(with(kIfRange, "W/\"a\"")), kPerformWhole);
  EXPECT_EQ(get(with(kIfRange, "\"x\"")), kPerformWhole);
  EXPECT_EQ(get(with(kIfRange, kThen)), kPerform);
  EXPECT_EQ(get(with(kIfRange, kBefore)), kPerformWhole);
  EXPECT_EQ(get(with(kIfRange, kAfter)), kPerformWhole);
  EXPECT_EQ(get(with(kIfRange, "rubbish")), kPerformWhole);
  EXPECT_EQ(get(with(kIfRange, "\"a\""), {.etag = "W/\"a\"", .last_modified = {}}), kPerformWhole);
}

TEST(ConditionsTest, F07TheOrder) {
  // If-Match fails before If-None-Match is looked at.
  EXPECT_EQ(get({"\"x\"", "\"a\"", {}, {}, {}}), kFailed);
  EXPECT_EQ(get({{}, "\"a\"", {}, kBefore, {}}), kFailed);
  // Both hold: If-Range decides.
  EXPECT_EQ(get({"\"a\"", "\"x\"", {}, {}, "\"y\""}), kPerformWhole);
  // 304 before If-Range.
  EXPECT_EQ(get({{}, "\"a\"", {}, {}, "\"y\""}), kNotModified);
}

}  // namespace
}  // namespace http
