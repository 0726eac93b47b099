#include "config/schema.h"

#include <format>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "config/keys.h"
#include "config/shape.h"

namespace config {
namespace {

using Json = nlohmann::ordered_json;

// `${NAME}` may stand for any scalar.
constexpr std::string_view kVariable = "\\$\\{";

class SchemaWriter {
 public:
  Json write() {
    Json schema;
    schema["$schema"] = "http://json-schema.org/draft-07/schema#";
    schema["title"] = "Webship configuration";
    schema.update(object(top_keys().shape()));
    schema["definitions"] = Json::object();
    // Definitions appear as they are referred to, and may refer to others.
    while (!pending_.empty()) {
      const ObjectShape* shape = pending_.back();
      pending_.pop_back();
      schema["definitions"][name(*shape)] = object(*shape);
    }
    return schema;
  }

 private:
  static std::string name(const ObjectShape& shape) {
    std::string name = shape.name;
    if (name.starts_with("a ")) name.erase(0, 2);
    if (name.starts_with("an ")) name.erase(0, 3);
    for (char& c : name) {
      if (c == ' ') c = '_';
    }
    return name;
  }

  static Json or_variable(Json plain) {
    Json variable = {{"type", "string"}, {"pattern", kVariable}};
    return {{"anyOf", Json::array({std::move(plain), std::move(variable)})}};
  }

  Json value(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::any_text:
        return {{"type", Json::array({"string", "number", "boolean"})}};
      case Shape::Kind::pattern:
        return or_variable(
            {{"type", Json::array({"string", "integer"})}, {"pattern", shape.pattern}});
      case Shape::Kind::words:
        return words(shape);
      case Shape::Kind::boolean:
        return or_variable({{"type", "boolean"}});
      case Shape::Kind::integer:
        return or_variable(
            {{"type", "integer"}, {"minimum", shape.minimum}, {"maximum", shape.maximum}});
      case Shape::Kind::list: {
        Json item = value(shape.items[0]);
        Json list = {{"type", "array"}, {"items", item}};
        return {{"anyOf", Json::array({std::move(list), std::move(item)})}};
      }
      case Shape::Kind::map:
        return {{"type", "object"}, {"additionalProperties", value(shape.items[0])}};
      case Shape::Kind::object:
        return reference(shape.object());
      case Shape::Kind::one_of: {
        Json any = Json::array();
        for (const Shape& item : shape.items) any.push_back(value(item));
        return {{"anyOf", std::move(any)}};
      }
    }
    return Json::object();
  }

  // YAML makes numbers and booleans of some words before the schema sees them.
  static Json words(const Shape& shape) {
    Json list = Json::array();
    for (const std::string& word : shape.words) {
      list.push_back(word);
      if (word == "true") list.push_back(true);
      if (word == "off") list.push_back(false);
      if (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos) {
        list.push_back(std::stoi(word));
      }
      if (word == "1.2" || word == "1.3") list.push_back(std::stod(word));
    }
    return or_variable({{"enum", std::move(list)}});
  }

  Json reference(const ObjectShape& shape) {
    const std::string definition = name(shape);
    if (known_.insert(definition).second) pending_.push_back(&shape);
    Json object = {{"$ref", "#/definitions/" + definition}};
    // `tls:` with nothing after it is an object without keys.
    return {{"anyOf", Json::array({std::move(object), Json{{"type", "null"}}})}};
  }

  Json object(const ObjectShape& shape) {
    Json json;
    json["type"] = "object";
    json["description"] = shape.description;
    json["properties"] = Json::object();
    Json required = Json::array();
    for (const KeyShape& key : shape.keys) {
      Json property;
      property["description"] = key.description;
      if (!key.default_text.empty()) {
        property["description"] = std::format("{} Default: {}", key.description, key.default_text);
      }
      property.update(value(key.value));
      if (!key.examples.empty()) property["examples"] = key.examples;
      json["properties"][key.name] = std::move(property);
      if (key.required) required.push_back(key.name);
    }
    // What an included file brings is not required here.
    if (!required.empty() && &shape != &top_keys().shape()) json["required"] = required;
    json["patternProperties"] = {{"^x-", Json::object()}, {"^<<$", Json::object()}};
    json["additionalProperties"] = false;
    if (!shape.choice.empty()) {
      Json one_of = Json::array();
      for (const std::string& choice : shape.choice) {
        one_of.push_back({{"required", Json::array({choice})}});
      }
      json["oneOf"] = std::move(one_of);
    }
    return json;
  }

  std::set<std::string> known_;
  std::vector<const ObjectShape*> pending_;
};

}  // namespace

std::string json_schema() { return SchemaWriter().write().dump(2) + "\n"; }

}  // namespace config
