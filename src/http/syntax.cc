#include "http/syntax.h"

namespace http {
namespace {

// The end of the quoted string that begins at `begin`: behind its closing quote, or the text's end.
std::size_t quoted_end(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::string_view> next_element(std::string_view& rest) {
  while (!rest.empty()) {
    std::size_t end = 0;
    while (end < rest.size() && rest[end] != ',') {
      end = rest[end] == '"' ? quoted_end(rest, end) : end + 1;
    }
    const std::string_view element = base::trim(rest.substr(0, end));
    rest.remove_prefix(end < rest.size() ? end + 1 : end);
    if (!element.empty()) return element;
  }
  return std::nullopt;
}

std::optional<Parameter> next_parameter(std::string_view& rest) {
  std::string_view text = base::trim_left(rest);
  do {  // `;;` has an empty parameter, which means nothing (RFC 9110 5.6.6)
    if (!text.starts_with(';')) return std::nullopt;
    text = base::trim_left(text.substr(1));
  } while (text.starts_with(';'));
  std::size_t end = 0;
  while (end < text.size() && is_token_char(text[end])) ++end;
  if (end == 0) {
    if (text.empty()) rest = {};
    return std::nullopt;
  }
  Parameter parameter{.name = text.substr(0, end), .value = {}};
  text.remove_prefix(end);
  if (text.starts_with("=\"")) {
    end = quoted_end(text, 1);
    if (end < 3 || text[end - 1] != '"') return std::nullopt;
    parameter.value = text.substr(2, end - 3);
    parameter.quoted = true;
    text.remove_prefix(end);
  } else if (text.starts_with('=')) {
    end = 1;
    while (end < text.size() && is_token_char(text[end])) ++end;
    parameter.value = text.substr(1, end - 1);
    text.remove_prefix(end);
  }
  text = base::trim_left(text);
  if (!text.empty() && text.front() != ';') return std::nullopt;
  rest = text;
  return parameter;
}

void append_unquoted(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
}

std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * 1000;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int place = 100;
  for (std::size_t i = 2; i < text.size(); ++i, place /= 10) {
    if (!base::is_digit(text[i])) return std::nullopt;
    weight += (text[i] - '0') * place;
  }
  if (weight > 1000) return std::nullopt;
  return weight;
}

}  // namespace http
