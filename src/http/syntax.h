// The grammar that field values share: tokens, quoted strings, lists, parameters, weights.
//
// Readers over views for the fields that http/ understands (RFC 9110 5.6, 12.4.2). They never copy,
// except to take the backslashes out of a quoted string that has some. Not the line parser: what
// makes a field line valid is http1/'s business.
// Pure functions, any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace http {

namespace detail {
constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (unsigned char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[c] = true;
  }
  return table;
}
inline constexpr std::array<bool, 256> kTokenTable = make_token_table();
}  // namespace detail

// tchar of RFC 9110 5.6.2.
constexpr bool is_token_char(char c) { return detail::kTokenTable[static_cast<unsigned char>(c)]; }

constexpr bool is_token(std::string_view text) {
  for (char c : text) {
    if (!is_token_char(c)) return false;
  }
  return !text.empty();
}

// Takes the next element off a comma-separated list, trimmed, commas in quoted strings respected.
// Empty elements are skipped (RFC 9110 5.6.1.2). Nothing at the end of the list. An unfinished
// quoted string runs to the end.
std::optional<std::string_view> next_element(std::string_view& rest);

struct Parameter {
  std::string_view name;   // a token as written; compare ignoring case
  std::string_view value;  // without quotes; quoted pairs still in it
  bool quoted = false;
};

// Takes the next `name=value` off the parameters that follow a value, `;name=value;…`, from the
// semicolon on. A parameter without `=` has an empty value. Nothing at the end, and at what isn't a
// parameter (`rest` then is not empty).
std::optional<Parameter> next_parameter(std::string_view& rest);

// The value of a quoted string with its quoted pairs resolved. `text` is what stands between the
// quotes.
void append_unquoted(std::string& out, std::string_view text);

// A weight in thousandths: `1`, `0.5`, `0.123`. Nothing for what RFC 9110 12.4.2 doesn't allow.
std::optional<int> parse_weight(std::string_view text);

}  // namespace http
