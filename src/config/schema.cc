#include "config/schema.h"

#include <algorithm>
#include <format>
#include <initializer_list>
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

  // The alternatives, flat and each once; one alone is itself.
  static Json any_of(std::initializer_list<Json> items) { return any_of(Json(items)); }
  static Json any_of(const Json& items) {
    Json flat = Json::array();
    const auto add = [&flat](const Json& item) {
      if (std::ranges::find(flat, item) == flat.end()) flat.push_back(item);
    };
    for (const Json& item : items) {
      if (item.size() == 1 && item.contains("anyOf")) {
        for (const Json& inner : item["anyOf"]) add(inner);
      } else {
        add(item);
      }
    }
    if (flat.size() == 1) return flat[0];
    Json result;
    result["anyOf"] = std::move(flat);
    return result;
  }

  static Json or_variable(Json plain) {
    Json variable;
    variable["type"] = "string";
    variable["pattern"] = kVariable;
    return any_of({std::move(plain), std::move(variable)});
  }

  static Json typed(std::string_view type) {
    Json json;
    json["type"] = type;
    return json;
  }

  static Json any_text() {
    Json json;
    json["type"] = {"string", "number", "boolean"};
    return json;
  }

  Json value(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::any_text:
        return any_text();
      case Shape::Kind::pattern: {
        Json json;
        json["type"] = {"string", "integer"};
        json["pattern"] = std::format("{}|{}", shape.pattern, kVariable);
        return json;
      }
      case Shape::Kind::words:
        return words(shape);
      case Shape::Kind::boolean:
        return or_variable(typed("boolean"));
      case Shape::Kind::integer: {
        Json json = typed("integer");
        json["minimum"] = shape.minimum;
        json["maximum"] = shape.maximum;
        return or_variable(std::move(json));
      }
      case Shape::Kind::list: {
        Json item = value(shape.items[0]);
        Json list = typed("array");
        list["items"] = item;
        return any_of({std::move(list), std::move(item)});
      }
      case Shape::Kind::map: {
        Json json = typed("object");
        json["additionalProperties"] = value(shape.items[0]);
        return json;
      }
      case Shape::Kind::object:
        return reference(shape.object());
      case Shape::Kind::one_of: {
        Json items = Json::array();
        for (const Shape& item : shape.items) items.push_back(value(item));
        return any_of(items);
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
    Json json;
    json["enum"] = std::move(list);
    return or_variable(std::move(json));
  }

  Json reference(const ObjectShape& shape) {
    const std::string definition = name(shape);
    if (known_.insert(definition).second) pending_.push_back(&shape);
    Json object;
    object["$ref"] = "#/definitions/" + definition;
    return object;
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
    json["patternProperties"]["^(x-|<<$)"] = Json::object();
    json["additionalProperties"] = false;
    if (!shape.choice.empty()) {
      Json one_of = Json::array();
      for (const std::string& choice : shape.choice) {
        Json one;
        one["required"] = Json::array({choice});
        one_of.push_back(std::move(one));
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
