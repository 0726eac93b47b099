// Templates: any text compiles or names its error, and no value gets out of where it lands.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "base/glob.h"
#include "base/template.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

constexpr base::VariableTable::Variable kVariables[] = {
    {"a", 0, false, ""},
    {"request.path", 1, false, ""},
    {"request.header", 2, true, ""},
};

struct Values final : base::Template::Resolver {
  std::string_view text;
  void value(int id, std::string_view argument, std::string& out) override {
    check((id == 2) == !argument.empty());
    if (id != 0) out += text;
  }
};

void check_escaped(std::string_view value) {
  std::string out;
  base::append_field_value(out, value);
  check(!base::has_field_controls(out));
  for (const base::Escape escape : {base::Escape::kUrl, base::Escape::kUrlPath,
                                    base::Escape::kUrlComponent, base::Escape::kLog}) {
    out.clear();
    base::append_escaped(out, value, escape);
    check(out.size() <= value.size() * base::kEscapedSizeMax);
    for (char c : out) check(c >= ' ' && c < 0x7f && c != '"');
    if (!base::needs_escaping(value, escape)) check(out == value);
  }
  out.clear();
  base::append_html(out, value);
  check(out.find_first_of("<>\"'") == std::string::npos);
  out.clear();
  base::append_json(out, value);
  for (std::size_t i = 0; i < out.size(); ++i) {
    check(static_cast<unsigned char>(out[i]) >= 0x20 && out[i] != '"');
    if (out[i] == '\\') ++i;
  }
  out.clear();
  base::append_url_component(out, value);
  std::string back;
  check(base::append_percent_decoded(back, out) && back == value);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  check_escaped(input);
  const std::string_view text = input.substr(0, size / 2);
  const std::string_view value = input.substr(size / 2);
  const auto compiled = base::Template::compile(text, base::VariableTable(kVariables));
  if (compiled) {
    Values values;
    values.text = value;
    std::string out;
    compiled->evaluate(values, base::Escape::kField, out);
    check(!base::has_field_controls(out));
    out.clear();
    compiled->evaluate(values, base::Escape::kNone, out);
    if (compiled->literal()) check(out == compiled->literal_text());
  } else {
    check(compiled.error().offset < text.size() && text[compiled.error().offset] == '{');
    check(!compiled.error().message.empty());
  }
  if (text.size() < 64) {
    if (const auto glob = base::Glob::compile(text)) glob->matches(value);
  }
  return 0;
}
