#include "base/glob.h"

#include <algorithm>
#include <bitset>
#include <format>
#include <optional>
#include <utility>

namespace base {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kAlternativesMax = 256;
constexpr int kBraceDepthMax = 16;

using ByteSet = std::bitset<256>;
using detail::GlobAutomaton;
using Word = GlobAutomaton::Word;

std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

// One element of a pattern without braces.
struct Element {
  ByteSet bytes;
  bool star = false;    // any number of them
  bool enter = false;   // no byte, but the way to the `**/` behind it, or past that
  char literal = '\0';  // if it is exactly one byte
};

std::unexpected<std::string> bad_pattern(std::string_view pattern, std::string_view why) {
  return std::unexpected(std::format("the pattern '{}' {}", pattern, why));
}

// Where the bracket expression that begins at `i` ends: behind its ], or npos.
std::size_t bracket_end(std::string_view text, std::size_t i) {
  ++i;
  if (i < text.size() && (text[i] == '!' || text[i] == '^')) ++i;
  if (i < text.size() && text[i] == ']') ++i;  // one that stands first is itself
  for (; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ']') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// Replaces the first outermost {a,b} by each of its alternatives, until none has any.
class BraceExpander {
 public:
  explicit BraceExpander(std::string_view pattern) : pattern_(pattern) {}

  std::expected<std::vector<std::string>, std::string> run() {
    if (auto error = expand("", pattern_, 0)) return std::unexpected(std::move(*error));
    return std::move(alternatives_);
  }

 private:
  std::optional<std::string> fail(std::string_view why) {
    return bad_pattern(pattern_, why).error();
  }

  std::optional<std::string> expand(std::string done, std::string_view rest, int depth) {
    if (depth > kBraceDepthMax) return fail("has too many braces");
    std::size_t i = 0;
    while (i < rest.size() && rest[i] != '{') {
      if (rest[i] == '}') return fail("has a } without a {; write \\} for the character");
      i = next(rest, i);
    }
    done += rest.substr(0, std::min(i, rest.size()));
    if (i >= rest.size()) {
      if (alternatives_.size() == kAlternativesMax) return fail("has too many alternatives");
      alternatives_.push_back(std::move(done));
      return std::nullopt;
    }
    std::vector<std::string_view> choices;
    const std::size_t end = split(rest, i, choices);
    if (end == std::string_view::npos) return fail("has no closing }");
    for (std::string_view choice : choices) {
      // The choice may have braces of its own, so that it is expanded together with what follows.
      const std::string joined = std::string(choice) + std::string(rest.substr(end));
      if (auto error = expand(done, joined, depth + 1)) return error;
    }
    return std::nullopt;
  }

  // The alternatives of the brace at `open`; returns where it ends.
  static std::size_t split(std::string_view text, std::size_t open,
                           std::vector<std::string_view>& choices) {
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = open; i < text.size(); i = next(text, i)) {
      if (text[i] == '{') {
        ++depth;
      } else if (text[i] == '}' && --depth == 0) {
        choices.push_back(text.substr(begin, i - begin));
        return i + 1;
      } else if (text[i] == ',' && depth == 1) {
        choices.push_back(text.substr(begin, i - begin));
        begin = i + 1;
      }
    }
    return std::string_view::npos;
  }

  // Steps over one character, an escaped one, or a bracket expression.
  static std::size_t next(std::string_view text, std::size_t i) {
    if (text[i] == '\\') return i + 2;
    if (text[i] != '[') return i + 1;
    const std::size_t end = bracket_end(text, i);
    return end == std::string_view::npos ? text.size() : end;
  }

  std::string_view pattern_;
  std::vector<std::string> alternatives_;
};

// Reads the elements of a pattern without braces.
class ElementReader {
 public:
  ElementReader(std::string_view whole, std::string_view text) : whole_(whole), text_(text) {}

  std::expected<std::vector<Element>, std::string> run() {
    while (i_ < text_.size()) {
      const char c = text_[i_];
      if (c == '*') {
        star();
      } else if (c == '?') {
        Element element;
        element.bytes.set();
        element.bytes.reset(index_of('/'));
        elements_.push_back(element);
        ++i_;
      } else if (c == '[') {
        if (auto error = bracket()) return std::unexpected(std::move(*error));
      } else {
        if (c == '\\' && ++i_ == text_.size()) {
          return bad_pattern(whole_, "ends with a backslash; write \\\\ for the character");
        }
        literal(text_[i_++]);
      }
    }
    return std::move(elements_);
  }

 private:
  void literal(char c) {
    Element element;
    element.bytes.set(index_of(c));
    element.literal = c;
    elements_.push_back(element);
  }

  void star() {
    const bool at_segment = elements_.empty() || elements_.back().literal == '/';
    const std::size_t begin = i_;
    while (i_ < text_.size() && text_[i_] == '*') ++i_;
    Element element;
    element.star = true;
    element.bytes.set();
    const bool across = i_ - begin > 1;
    if (!across) element.bytes.reset(index_of('/'));
    if (across && at_segment && i_ < text_.size() && text_[i_] == '/') {
      // `**/**/` says no more than `**/`.
      const std::size_t n = elements_.size();
      if (n >= 3 && elements_[n - 3].enter) {
        ++i_;
        return;
      }
      Element enter;
      enter.enter = true;
      elements_.push_back(enter);
    }
    elements_.push_back(element);
  }

  char bracket_byte() {
    if (text_[i_] == '\\') ++i_;
    return text_[i_++];
  }

  std::optional<std::string> bracket() {
    const std::size_t end = bracket_end(text_, i_);
    if (end == std::string_view::npos) {
      return bad_pattern(whole_, "has no closing ]; write \\[ for the character").error();
    }
    ++i_;
    const bool negated = text_[i_] == '!' || text_[i_] == '^';
    if (negated) ++i_;
    Element element;
    while (i_ < end - 1) {
      const char from = bracket_byte();
      char to = from;
      if (i_ + 1 < end - 1 && text_[i_] == '-') {
        ++i_;
        to = bracket_byte();
      }
      if (index_of(to) < index_of(from)) {
        return bad_pattern(whole_, "has a range that runs backwards").error();
      }
      for (std::size_t c = index_of(from); c <= index_of(to); ++c) element.bytes.set(c);
    }
    i_ = end;
    if (negated) element.bytes.flip();
    element.bytes.reset(index_of('/'));
    elements_.push_back(element);
    return std::nullopt;
  }

  std::string_view whole_;
  std::string_view text_;
  std::size_t i_ = 0;
  std::vector<Element> elements_;
};

std::string literal_prefix(const std::vector<Element>& elements) {
  std::string prefix;
  for (const Element& element : elements) {
    if (element.literal == '\0') break;
    prefix += element.literal;
  }
  return prefix;
}

// Lays the alternatives one behind another into the automaton's words; each has one more state than
// elements, its last.
class AutomatonBuilder {
 public:
  AutomatonBuilder(GlobAutomaton& automaton, const std::vector<std::vector<Element>>& alternatives)
      : automaton_(automaton), alternatives_(alternatives) {}

  void run() {
    std::size_t states = 0;
    for (const auto& elements : alternatives_) states += elements.size() + 1;
    automaton_.words = (states + kWordBits - 1) / kWordBits;
    for (auto* mask :
         {&automaton_.star, &automaton_.enter, &automaton_.start, &automaton_.accept}) {
      mask->assign(automaton_.words, 0);
    }
    classify();
    std::size_t state = 0;
    for (const auto& elements : alternatives_) {
      set(automaton_.start, state);
      for (const Element& element : elements) place(element, state++);
      set(automaton_.accept, state++);
    }
  }

 private:
  // Two bytes are of one class if every element has both or neither.
  void classify() {
    std::vector<ByteSet> classes(1, ByteSet().set());
    for (const auto& elements : alternatives_) {
      for (const Element& element : elements) {
        const std::size_t count = classes.size();
        for (std::size_t i = 0; i < count; ++i) {
          const ByteSet inside = classes[i] & element.bytes;
          if (inside.none() || inside == classes[i]) continue;
          classes[i] &= ~inside;
          classes.push_back(inside);
        }
      }
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (std::size_t c = 0; c < 256; ++c) {
        if (classes[i][c]) automaton_.class_of[c] = static_cast<std::uint8_t>(i);
      }
    }
    automaton_.advance.assign(classes.size() * automaton_.words, 0);
    automaton_.stay.assign(classes.size() * automaton_.words, 0);
  }

  void place(const Element& element, std::size_t state) {
    if (element.star) set(automaton_.star, state);
    if (element.enter) set(automaton_.enter, state);
    auto& moves = element.star ? automaton_.stay : automaton_.advance;
    for (std::size_t c = 0; c < 256; ++c) {
      if (!element.bytes[c]) continue;
      set(moves, automaton_.class_of[c] * automaton_.words * kWordBits + state);
    }
  }

  static void set(std::vector<Word>& mask, std::size_t bit) {
    mask[bit / kWordBits] |= Word{1} << bit % kWordBits;
  }

  GlobAutomaton& automaton_;
  const std::vector<std::vector<Element>>& alternatives_;
};

}  // namespace

std::expected<Glob, std::string> Glob::compile(std::string_view pattern) {
  if (pattern.empty()) return std::unexpected("the pattern is empty");
  const auto texts = BraceExpander(pattern).run();
  if (!texts) return std::unexpected(texts.error());
  std::vector<std::vector<Element>> alternatives;
  std::size_t states = 0;
  for (const std::string& text : *texts) {
    auto elements = ElementReader(pattern, text).run();
    if (!elements) return std::unexpected(std::move(elements.error()));
    states += elements->size() + 1;
    if (states > kStatesMax) return bad_pattern(pattern, "is too long");
    alternatives.push_back(std::move(*elements));
  }
  Glob glob;
  glob.pattern_ = pattern;
  glob.prefix_ = literal_prefix(alternatives.front());
  for (const auto& elements : alternatives) {
    const std::string prefix = literal_prefix(elements);
    const auto differs = std::ranges::mismatch(glob.prefix_, prefix);
    glob.prefix_.erase(differs.in1, glob.prefix_.end());
  }
  glob.literal_ = alternatives.size() == 1 && alternatives.front().size() == glob.prefix_.size();
  if (!glob.literal_) AutomatonBuilder(glob.automaton_, alternatives).run();
  return glob;
}

bool Glob::matches(std::string_view text) const {
  if (!text.starts_with(prefix_)) return false;
  if (literal_) return text.size() == prefix_.size();
  return automaton_.words == 1 ? automaton_.run_one_word(text) : automaton_.run(text);
}

namespace detail {

// After each byte come the moves that need none: first from before a `**/` to its star and past its
// slash, then from a star to what follows it, for it may be empty. Nothing leads from a star to
// another, or to the place before a `**/`, so that once through suffices.

bool GlobAutomaton::run_one_word(std::string_view text) const {
  const auto close = [&](Word states) {
    states |= (states & enter[0]) << 1 | (states & enter[0]) << 3;
    return states | (states & star[0]) << 1;
  };
  Word states = close(start[0]);
  for (char c : text) {
    const std::size_t byte_class = class_of[index_of(c)];
    states = close((states & advance[byte_class]) << 1 | (states & stay[byte_class]));
    if (states == 0) return false;
  }
  return (states & accept[0]) != 0;
}

bool GlobAutomaton::run(std::string_view text) const {
  std::array<Word, Glob::kStatesMax / kWordBits> states{};
  // The states of a mask, moved on; the carry is what goes over into the next word.
  const auto move = [&](const std::vector<Word>& mask, int shift) {
    Word carry = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const Word moving = states[i] & mask[i];
      states[i] |= moving << shift | carry;
      carry = moving >> (static_cast<int>(kWordBits) - shift);
    }
  };
  const auto close = [&] {
    move(enter, 1);
    move(enter, 3);
    move(star, 1);
  };
  std::copy(start.begin(), start.end(), states.begin());
  close();
  for (char c : text) {
    const std::size_t row = class_of[index_of(c)] * words;
    Word carry = 0;
    Word any = 0;
    for (std::size_t i = 0; i < words; ++i) {
      const Word moving = states[i] & advance[row + i];
      states[i] = moving << 1 | carry | (states[i] & stay[row + i]);
      carry = moving >> (kWordBits - 1);
      any |= states[i];
    }
    if (any == 0) return false;
    close();
  }
  for (std::size_t i = 0; i < words; ++i) {
    if ((states[i] & accept[i]) != 0) return true;
  }
  return false;
}

}  // namespace detail
}  // namespace base
