// A regular expression of the configuration, compiled once and shared by all workers.
//
// RE2, so hostile input costs linear time (D06), whatever the pattern; the memory of a pattern is
// bounded too. Unanchored: patterns say `^` and `$` themselves. Bytes, not characters (Latin-1),
// because paths and fields may hold any. Not a glob: that is base/glob.h.
// Immutable; any thread. Equal when the patterns are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace http {

struct RegexError {
  std::size_t offset = 0;  // in the pattern, of what is wrong
  std::string message;     // "missing closing )"
};

class Regex {
 public:
  // Compiled program and lazily built automaton of one pattern, at most.
  static constexpr std::int64_t kMemoryMax = 2 << 20;
  // Groups that captures keep; more are refused.
  static constexpr int kGroupsMax = 32;

  Regex() = default;  // matches nothing; only a place to assign to
  // `(?<name>…)` and `(?P<name>…)` name groups.
  static std::expected<Regex, RegexError> compile(std::string_view pattern);

  bool matches(std::string_view text) const;
  const std::string& pattern() const { return pattern_; }
  explicit operator bool() const { return re2_ != nullptr; }
  // For who wants the groups (re2/re2.h): Match(), NamedCapturingGroups().
  const re2::RE2& re2() const { return *re2_; }

  bool operator==(const Regex& other) const { return pattern_ == other.pattern_; }

 private:
  std::string pattern_;
  std::shared_ptr<const re2::RE2> re2_;
};

}  // namespace http
