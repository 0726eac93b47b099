// Glob patterns over slash-separated paths, matched in linear time.
//
//   *      any bytes within a segment        **     any bytes, slashes too
//   ?      one byte, not a slash             a/**/b also matches a/b
//   [a-z]  one of these, [!a-z] none of them (never a slash)
//   {a,b}  either, may be nested             \x     x itself
//
// The pattern becomes a non-deterministic automaton simulated by bit operations: each byte of the
// text costs one pass over its states, whatever the pattern, so no request can make it backtrack
// (D06). Case matters; bytes, not characters. Not a regular expression, and no path normaliser: it
// is shown the canonical path.
// Immutable once compiled; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace base {

namespace detail {

// State i: "the next element to match is i". Bytes that no element tells apart share a class.
struct GlobAutomaton {
  using Word = std::uint64_t;

  std::array<std::uint8_t, 256> class_of{};
  std::size_t words = 0;
  std::vector<Word> advance;  // [class][word]: states that move on by a byte of the class
  std::vector<Word> stay;     // [class][word]: stars that swallow it
  std::vector<Word> star;     // stars, which may match nothing
  std::vector<Word> enter;    // before a `**/` at the begin of a segment, which may match nothing
  std::vector<Word> start, accept;

  bool run_one_word(std::string_view text) const;
  bool run(std::string_view text) const;
};

}  // namespace detail

class Glob {
 public:
  // States over all alternatives of the braces: beyond, the pattern is refused.
  static constexpr std::size_t kStatesMax = 1024;

  // The error says what is wrong with the pattern.
  static std::expected<Glob, std::string> compile(std::string_view pattern);

  bool matches(std::string_view text) const;
  const std::string& pattern() const { return pattern_; }
  bool operator==(const Glob& other) const { return pattern_ == other.pattern_; }

 private:
  std::string pattern_;
  std::string prefix_;    // the literal bytes that every match begins with
  bool literal_ = false;  // the pattern is its prefix; there is no automaton
  detail::GlobAutomaton automaton_;
};

}  // namespace base
