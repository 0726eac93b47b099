#include "base/template.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace base {

VariableTable::Match VariableTable::find(std::string_view name) const {
  for (const Variable& variable : variables_) {
    if (!variable.takes_argument) {
      if (name == variable.name) return {&variable, {}};
    } else if (name.size() > variable.name.size() + 1 && name.starts_with(variable.name) &&
               name[variable.name.size()] == '.') {
      return {&variable, name.substr(variable.name.size() + 1)};
    }
  }
  return {};
}

std::string VariableTable::suggest(std::string_view name) const {
  // An argument is nobody's misspelling: try what stands before each dot, then the whole.
  for (std::size_t end = name.find('.');; end = name.find('.', end + 1)) {
    end = std::min(end, name.size());
    const std::string_view argument = name.substr(std::min(end + 1, name.size()));
    std::vector<std::string_view> names;
    for (const Variable& variable : variables_) {
      if (variable.takes_argument || argument.empty()) names.push_back(variable.name);
    }
    const std::string_view near = closest(name.substr(0, end), names);
    if (near.empty()) {
      if (end == name.size()) return {};
      continue;
    }
    std::string result(near);
    if (!argument.empty()) {
      result += '.';
      result += argument;
    } else if (std::ranges::find(variables_, near, &Variable::name)->takes_argument) {
      result += ".NAME";
    }
    return result;
  }
}

namespace {

std::string braced(std::string_view name) { return "{" + std::string(name) + "}"; }

TemplateError unknown(std::size_t offset, std::string_view name, const VariableTable& table) {
  std::string suggestion = table.suggest(name);
  if (!suggestion.empty()) suggestion = braced(suggestion);
  // The name is right if only its argument is missing.
  if (std::ranges::contains(table.variables(), name, &VariableTable::Variable::name)) {
    return {offset, braced(name) + " needs a name after it", std::move(suggestion)};
  }
  return {offset, "there is no variable " + braced(name), std::move(suggestion)};
}

// Escapes what stands from `begin` on. Written behind itself first, so that nothing else allocates.
void escape_tail(std::string& out, std::size_t begin, Escape escape) {
  const std::size_t raw_size = out.size() - begin;
  if (!needs_escaping(std::string_view(out).substr(begin), escape)) return;
  out.reserve(out.size() + raw_size * kEscapedSizeMax);
  append_escaped(out, std::string_view(out).substr(begin, raw_size), escape);
  out.erase(begin, raw_size);
}

}  // namespace

std::expected<Template, TemplateError> Template::compile(std::string_view text,
                                                         const VariableTable& variables) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    return std::unexpected(TemplateError{0, "the text is longer than 4 GiB", {}});
  }
  Template result;
  result.source_ = text;
  std::string& stored = result.text_;
  const auto position = [&] { return static_cast<std::uint32_t>(stored.size()); };
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t brace = text.find('{', i);
    stored.append(text, i, brace == std::string_view::npos ? brace : brace - i);
    if (brace == std::string_view::npos) break;
    const char next = brace + 1 < text.size() ? text[brace + 1] : '\0';
    if (!is_alpha(next)) {
      stored += '{';
      i = brace + (next == '{' ? 2 : 1);
      continue;
    }
    const std::size_t end = text.find('}', brace);
    if (end == std::string_view::npos) {
      return std::unexpected(
          TemplateError{brace, "the placeholder has no closing }", "{{ for a literal {"});
    }
    const std::string_view inside = text.substr(brace + 1, end - brace - 1);
    const std::size_t bar = inside.find('|');
    const std::string_view name = inside.substr(0, bar);
    const VariableTable::Match match = variables.find(name);
    if (match.variable == nullptr) return std::unexpected(unknown(brace, name, variables));
    Part part;
    part.id = match.variable->id;
    part.literal_end = position();
    stored += match.argument;
    part.argument_end = position();
    if (bar != std::string_view::npos) stored += inside.substr(bar + 1);
    part.default_end = position();
    result.parts_.push_back(part);
    i = end + 1;
  }
  result.has_controls_ = has_field_controls(stored);
  return result;
}

Template Template::verbatim(std::string_view text) {
  Template result;
  result.source_ = text;
  result.text_ = text;
  result.has_controls_ = has_field_controls(text);
  return result;
}

bool Template::uses(int id) const {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.id == id; });
}

void Template::evaluate(Resolver& resolver, Escape escape, std::string& out) const {
  const std::string_view text = text_;
  // The author's own text needs no escaping, except that no control may reach a field.
  const bool sanitise = has_controls_ && escape == Escape::kField;
  const auto append_own = [&](std::size_t begin, std::size_t end) {
    const std::string_view own = text.substr(begin, end - begin);
    sanitise ? append_field_value(out, own) : static_cast<void>(out.append(own));
  };
  std::size_t begin = 0;
  for (const Part& part : parts_) {
    append_own(begin, part.literal_end);
    const std::size_t value_begin = out.size();
    const std::string_view argument =
        text.substr(part.literal_end, part.argument_end - part.literal_end);
    resolver.value(part.id, argument, out);
    if (out.size() == value_begin) {
      append_own(part.argument_end, part.default_end);
    } else if (escape != Escape::kNone) {
      escape_tail(out, value_begin, escape);
    }
    begin = part.default_end;
  }
  append_own(begin, text.size());
}

}  // namespace base
