#include "base/escape.h"

#include <array>
#include <cstddef>

#include "base/text.h"

namespace base {
namespace {

// What a byte is to each escaper: a bit says that it passes as it is.
enum Passes : std::uint8_t {
  kInJson = 1,
  kInHtml = 2,
  kInComponent = 4,
  kInPath = 8,
  kInUrl = 16,
  kInLog = 32,
  kInField = 64,
};

constexpr bool in(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

constexpr std::array<std::uint8_t, 256> make_table() {
  std::array<std::uint8_t, 256> table{};
  for (int i = 0; i < 256; ++i) {
    const char c = static_cast<char>(i);
    const bool ascii = i < 0x80 && !is_control(c);
    const bool unreserved = is_alnum(c) || in(c, "-._~");
    const bool pchar = unreserved || in(c, "!$&'()*+,;=:@");  // RFC 3986 3.3, without escapes
    int passes = 0;
    if (ascii && c != '"' && c != '\\') passes |= kInJson | kInLog;
    if (!in(c, "&<>\"'")) passes |= kInHtml;
    if (unreserved) passes |= kInComponent;
    if (pchar || c == '/') passes |= kInPath;
    if (pchar || in(c, "/?[]")) passes |= kInUrl;
    if (!is_control(c) || c == '\t') passes |= kInField;
    table[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(passes);
  }
  return table;
}

constexpr std::array<std::uint8_t, 256> kTable = make_table();

constexpr bool passes(char c, Passes where) {
  return (kTable[static_cast<unsigned char>(c)] & where) != 0;
}

// Copies runs of bytes that pass; `emit` writes what stands at `text[i]` otherwise and returns how
// many bytes of the text that was.
template <typename Emit>
void append_runs(std::string& out, std::string_view text, Passes where, Emit emit) {
  std::size_t run = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (passes(text[i], where)) {
      ++i;
      continue;
    }
    out.append(text, run, i - run);
    i += emit(i);
    run = i;
  }
  out.append(text, run, text.size() - run);
}

void append_percent(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  const char escaped[] = {'%', kUpperHex[byte >> 4], kUpperHex[byte & 15]};
  out.append(escaped, sizeof escaped);
}

void append_u00(std::string& out, unsigned char code) {
  const char escaped[] = {'\\', 'u', '0', '0', kLowerHex[code >> 4], kLowerHex[code & 15]};
  out.append(escaped, sizeof escaped);
}

// The size of the well-formed UTF-8 sequence of two to four bytes at the front, or 0 (RFC 3629 4:
// nothing overlong, no surrogates, nothing beyond U+10FFFF).
std::size_t utf8_sequence_size(std::string_view text) {
  const auto at = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (at(i) & 0xc0) == 0x80; };
  const unsigned first = at(0);
  if (first < 0xc2 || first > 0xf4 || !continues(1)) return 0;
  if (first < 0xe0) return 2;
  if (!continues(2)) return 0;
  if (first < 0xf0) {
    if (first == 0xe0 && at(1) < 0xa0) return 0;
    if (first == 0xed && at(1) > 0x9f) return 0;
    return 3;
  }
  if (!continues(3)) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  if (first == 0xf4 && at(1) > 0x8f) return 0;
  return 4;
}

std::size_t append_json_special(std::string& out, std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte >= 0x80) {
    const std::size_t size = utf8_sequence_size(text);
    if (size == 0) {
      out += "\\ufffd";
      return 1;
    }
    if (byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0) {  // C1 controls
      append_u00(out, static_cast<unsigned char>(text[1]));
    } else {
      out.append(text, 0, size);
    }
    return size;
  }
  switch (text.front()) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      append_u00(out, byte);
  }
  return 1;
}

std::string_view html_entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return "&#39;";
  }
}

bool begins_escape(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0;
}

void append_url_keeping_escapes(std::string& out, std::string_view text, Passes where) {
  append_runs(out, text, where, [&](std::size_t i) -> std::size_t {
    if (begins_escape(text.substr(i))) {
      out.append(text, i, 3);
      return 3;
    }
    append_percent(out, text[i]);
    return 1;
  });
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
  append_runs(out, text, kInJson,
              [&](std::size_t i) { return append_json_special(out, text.substr(i)); });
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_json(out, text);
  out += '"';
}

void append_html(std::string& out, std::string_view text) {
  append_runs(out, text, kInHtml, [&](std::size_t i) {
    out += html_entity(text[i]);
    return std::size_t{1};
  });
}

void append_url_component(std::string& out, std::string_view text) {
  append_runs(out, text, kInComponent, [&](std::size_t i) {
    append_percent(out, text[i]);
    return std::size_t{1};
  });
}

void append_url_path(std::string& out, std::string_view path) {
  append_url_keeping_escapes(out, path, kInPath);
}

void append_url(std::string& out, std::string_view url) {
  append_url_keeping_escapes(out, url, kInUrl);
}

void append_log(std::string& out, std::string_view text) {
  append_runs(out, text, kInLog, [&](std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const char escaped[] = {'\\', 'x', kUpperHex[byte >> 4], kUpperHex[byte & 15]};
    out.append(escaped, sizeof escaped);
    return std::size_t{1};
  });
}

void append_field_value(std::string& out, std::string_view text) {
  append_runs(out, text, kInField, [](std::size_t) { return std::size_t{1}; });
}

bool has_field_controls(std::string_view text) {
  for (char c : text) {
    if (!passes(c, kInField)) return true;
  }
  return false;
}

bool append_percent_decoded(std::string& out, std::string_view text) {
  std::size_t run = 0;
  for (;;) {
    const std::size_t i = text.find('%', run);
    out.append(text, run, i == std::string_view::npos ? i : i - run);
    if (i == std::string_view::npos) return true;
    if (!begins_escape(text.substr(i))) return false;
    out += static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
    run = i + 3;
  }
}

void append_escaped(std::string& out, std::string_view text, Escape escape) {
  switch (escape) {
    case Escape::kNone:
      out += text;
      return;
    case Escape::kField:
      return append_field_value(out, text);
    case Escape::kUrlPath:
      return append_url_path(out, text);
    case Escape::kUrlComponent:
      return append_url_component(out, text);
    case Escape::kUrl:
      return append_url(out, text);
    case Escape::kHtml:
      return append_html(out, text);
    case Escape::kJson:
      return append_json(out, text);
    case Escape::kLog:
      return append_log(out, text);
  }
}

bool needs_escaping(std::string_view text, Escape escape) {
  constexpr std::array<std::uint8_t, 8> kWhere = {0xff,   kInField, kInPath, kInComponent,
                                                  kInUrl, kInHtml,  kInJson, kInLog};
  if (escape == Escape::kNone) return false;
  const std::uint8_t where = kWhere[static_cast<std::size_t>(escape)];
  for (char c : text) {
    if ((kTable[static_cast<unsigned char>(c)] & where) == 0) return true;
  }
  return false;
}

}  // namespace base
