#include "http/regex.h"

#include <re2/re2.h>

#include <format>

namespace http {
namespace {

// Debian's abseil has a string_view of its own.
absl::string_view to_absl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::expected<Regex, RegexError> Regex::compile(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(kMemoryMax);
  auto compiled = std::make_shared<const re2::RE2>(to_absl(pattern), options);
  if (!compiled->ok()) {
    // RE2 names the piece that is wrong, not where it stands; the last such piece is nearest.
    const std::string& piece = compiled->error_arg();
    const std::size_t found = piece.empty() ? std::string_view::npos : pattern.rfind(piece);
    std::string message = compiled->error();
    if (const std::size_t colon = message.find(": "); colon != std::string::npos) {
      message.resize(colon);
    }
    return std::unexpected(
        RegexError{.offset = found == std::string_view::npos ? 0 : found, .message = message});
  }
  if (compiled->NumberOfCapturingGroups() > kGroupsMax) {
    return std::unexpected(
        RegexError{.message = std::format(
                       "more than {} groups; write (?:…) where nothing is captured", kGroupsMax)});
  }
  Regex regex;
  regex.pattern_ = pattern;
  regex.re2_ = std::move(compiled);
  return regex;
}

bool Regex::matches(std::string_view text) const {
  return re2_ != nullptr && re2::RE2::PartialMatch(to_absl(text), *re2_);
}

}  // namespace http
