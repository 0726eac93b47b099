// The one template language of the product: text with placeholders, compiled once.
//
//   {request.path}            a variable
//   {request.header.X-Foo}    a variable that takes an argument
//   {client.name|unknown}     the text after | where the variable is empty
//   {{                        a literal {
//
// A `{` that no letter follows is itself, and so is every `}` outside a placeholder: JSON bodies
// need no escaping. Names are lower-case; which there are, http/ says in its VariableTable. Values
// are escaped for where the result lands; the template's own text is not, for its author wrote it.
// A Template is immutable and shared by all workers; evaluate() allocates only what `out` grows by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"

namespace base {

// The variables that a template may name. The names are viewed, not copied: they are literals.
class VariableTable {
 public:
  struct Variable {
    std::string_view name;        // "request.path"
    int id = 0;                   // what the Resolver is asked for
    bool takes_argument = false;  // {name.argument}, the argument not empty
    std::string_view summary;     // for the generated documentation
  };

  explicit VariableTable(std::span<const Variable> variables) : variables_(variables) {}

  struct Match {
    const Variable* variable = nullptr;  // nullptr: there is none of this name
    std::string_view argument;
  };
  Match find(std::string_view name) const;

  // What was probably meant by a name that find() doesn't find, its argument kept, or empty.
  std::string suggest(std::string_view name) const;

  std::span<const Variable> variables() const { return variables_; }

 private:
  std::span<const Variable> variables_;
};

struct TemplateError {
  std::size_t offset = 0;  // in the text, of the placeholder's {
  std::string message;     // "there is no variable {reqest.path}"
  std::string suggestion;  // "{request.path}", or empty
};

class Template {
 public:
  // What gives the variables their values while a template is evaluated.
  class Resolver {
   public:
    // Appends the value, raw; nothing where there is none.
    virtual void value(int id, std::string_view argument, std::string& out) = 0;

   protected:
    ~Resolver() = default;
  };

  Template() = default;  // the empty text

  static std::expected<Template, TemplateError> compile(std::string_view text,
                                                        const VariableTable& variables);
  // A template that is this text, braces and all.
  static Template verbatim(std::string_view text);

  // A template without placeholders has the same value always: literal_text(), as configured. Where
  // it goes into a field, the configuration refuses it if has_controls().
  bool literal() const { return parts_.empty(); }
  std::string_view literal_text() const { return text_; }
  bool empty() const { return parts_.empty() && text_.empty(); }
  // As it was compiled, for people.
  const std::string& source() const { return source_; }
  bool has_controls() const { return has_controls_; }

  // Whether it names the variable: so that what is costly is only computed for who wants it.
  bool uses(int id) const;

  // Appends the value to `out`.
  void evaluate(Resolver& resolver, Escape escape, std::string& out) const;

  bool operator==(const Template&) const = default;

 private:
  // One placeholder. text_ holds, for each: the literal run before it, its argument, its default;
  // and at the end the literal run after the last.
  struct Part {
    std::uint32_t literal_end = 0;  // the run begins where the part before ends
    std::uint32_t argument_end = 0;
    std::uint32_t default_end = 0;
    int id = 0;

    bool operator==(const Part&) const = default;
  };

  std::string source_;
  std::string text_;
  std::vector<Part> parts_;
  bool has_controls_ = false;
};

}  // namespace base
