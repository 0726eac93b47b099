#include "config/reference.h"

#include <format>
#include <set>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/shape.h"
#include "http/variables.h"

namespace config {
namespace {

// Where an object stands: `sites[].tls`.
struct Section {
  std::string path;
  const ObjectShape* shape = nullptr;
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// The objects within a shape, with what its path goes on by.
void find_objects(const Shape& shape, const std::string& path, std::vector<Section>& out) {
  switch (shape.kind) {
    case Shape::Kind::object:
      out.push_back({.path = path, .shape = &shape.object()});
      break;
    case Shape::Kind::list:
      find_objects(shape.items[0], path + "[]", out);
      break;
    case Shape::Kind::map:
      find_objects(shape.items[0], path + ".NAME", out);
      break;
    case Shape::Kind::one_of:
      for (const Shape& item : shape.items) find_objects(item, path, out);
      break;
    default:
      break;
  }
}

class ReferenceWriter {
 public:
  std::string write() {
    section({.path = "", .shape = &top_keys().shape()});
    variables();
    return std::move(out_);
  }

 private:
  void section(const Section& at) {
    const ObjectShape& shape = *at.shape;
    if (!seen_.insert(&shape).second) return;
    out_ += std::format("\n### {}\n\n{}\n\n", at.path.empty() ? "Top level" : "`" + at.path + "`",
                        shape.description);
    out_ += "| key | type | default | meaning |\n|---|---|---|---|\n";
    for (const KeyShape& key : shape.keys) row(key);
    if (shape.choice.size() == shape.keys.size()) {
      out_ += "\nIt has exactly one of these keys.\n";
    } else if (!shape.choice.empty()) {
      out_ += "\nExactly one of";
      for (const std::string& choice : shape.choice) {
        out_ += std::format("{} `{}`", choice == shape.choice.front() ? "" : ",", choice);
      }
      out_ += " must be there.\n";
    }
    for (const KeyShape& key : shape.keys) {
      std::vector<Section> inner;
      find_objects(key.value, at.path.empty() ? key.name : at.path + "." + key.name, inner);
      for (const Section& next : inner) section(next);
    }
  }

  void row(const KeyShape& key) {
    std::string meaning = key.description;
    for (const std::string& example : key.examples) {
      meaning += std::format(" Example: `{}`", example);
    }
    const std::string shown = key.required               ? "*required*"
                              : key.default_text.empty() ? ""
                                                         : "`" + key.default_text + "`";
    out_ += std::format("| `{}` | {} | {} | {} |\n", key.name, escaped(key.value.label),
                        escaped(shown), escaped(meaning));
  }

  void variables() {
    out_ += "\n### Variables of templates\n\n| variable | value |\n|---|---|\n";
    for (const auto& variable : http::variables().variables()) {
      out_ += std::format("| `{{{}{}}}` | {} |\n", variable.name,
                          variable.takes_argument ? ".NAME" : "", escaped(variable.summary));
    }
  }

  std::set<const ObjectShape*> seen_;
  std::string out_;
};

}  // namespace

std::string reference() { return ReferenceWriter().write(); }

}  // namespace config
