// An object of the configuration: its keys, each with name, type, default and description in one
// place, from which the reader, the JSON Schema and the reference are made.
//
//   object.key("idle", integer<std::uint32_t>(0, 65'536), &KeepaliveOptions::idle, "Connections
//   …");
//
// A key's default is what a default-made T holds. Keys that begin with `x-` are ignored. Every
// error of an object is reported; what could be read stays.
// Built once, in a function's static; immutable then, any thread.
#pragma once

#include <format>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/type.h"

namespace config {

// Reports keys of the map that `shape` doesn't have; false if there are any.
bool check_keys(Reader& reader, const Node& node, const ObjectShape& shape);
// Where exactly one of shape.choice must be there: its entry, or nullptr and an error.
const Node::Entry* check_choice(Reader& reader, const Node& node, const ObjectShape& shape);
void report_missing(Reader& reader, const Node& node, const ObjectShape& shape,
                    const std::string& key);

template <typename T>
class Object {
 public:
  Object(std::string name, std::string description) {
    shape_.name = std::move(name);
    shape_.description = std::move(description);
  }

  // What is said of the key that was added last.
  Object& example(std::string text) {
    shape_.keys.back().examples.push_back(std::move(text));
    return *this;
  }
  Object& required() {
    shape_.keys.back().required = true;
    return *this;
  }
  Object& default_text(std::string text) {
    shape_.keys.back().default_text = std::move(text);
    return *this;
  }

  // `accessor`: a pointer to a member, or a function from T& to V&.
  template <typename V, typename Accessor>
  Object& key(std::string name, Type<V> type, Accessor accessor, std::string description) {
    std::string shown;
    if (type.format) {
      T fresh{};
      V& value = std::invoke(accessor, fresh);
      shown = type.format(value);
    }
    shape_.keys.push_back({.name = name,
                           .value = std::move(type.shape),
                           .default_text = std::move(shown),
                           .description = std::move(description),
                           .examples = {},
                           .since = "0.1",
                           .required = false});
    reads_.push_back(
        {.name = std::move(name),
         .read = [read = std::move(type.read), accessor](Reader& reader, const Node& node, T& out) {
           return read(reader, node, std::invoke(accessor, out));
         }});
    return *this;
  }

  // The keys added last, of which exactly one must be there.
  Object& choice(std::vector<std::string> names) {
    shape_.choice = std::move(names);
    return *this;
  }
  // Before the keys are read.
  Object& begin(std::function<void(Reader&, const Node&, T&)> function) {
    begin_ = std::move(function);
    return *this;
  }
  // After, also where some had errors (`good` false); says whether the object is good.
  Object& check(std::function<bool(Reader&, const Node&, T&)> function) {
    check_ = std::move(function);
    return *this;
  }

  const ObjectShape& shape() const { return shape_; }

  bool read(Reader& reader, const Node& node, T& out) const {
    if (node.broken) return false;
    if (node.kind != Node::Kind::map && node.kind != Node::Kind::null) {
      reader.error(
          node, std::format("expected a map of keys ({}), found {}", shape_.name, kind_name(node)));
      return false;
    }
    if (begin_) begin_(reader, node, out);
    bool good = check_keys(reader, node, shape_);
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const Node::Entry* entry = node.find(reads_[i].name);
      if (entry == nullptr) {
        if (!shape_.keys[i].required) continue;
        report_missing(reader, node, shape_, reads_[i].name);
        good = false;
      } else if (!reads_[i].read(reader, *entry->value, out)) {
        good = false;
      }
    }
    if (!shape_.choice.empty() && check_choice(reader, node, shape_) == nullptr) good = false;
    if (check_ && !check_(reader, node, out)) good = false;
    return good;
  }

 private:
  struct Read {
    std::string name;
    std::function<bool(Reader&, const Node&, T&)> read;
  };

  ObjectShape shape_;
  std::vector<Read> reads_;
  std::function<void(Reader&, const Node&, T&)> begin_;
  std::function<bool(Reader&, const Node&, T&)> check_;
};

// The type of an object that a function returns. Not looked at before something is read, so objects
// may contain each other.
template <typename T>
Type<T> object_type(const Object<T>& (*object)(), std::string label) {
  Type<T> type;
  type.shape = {.kind = Shape::Kind::object,
                .label = std::move(label),
                .object = [object]() -> const ObjectShape& { return object().shape(); }};
  type.read = [object](Reader& reader, const Node& node, T& out) {
    return object().read(reader, node, out);
  };
  return type;
}

// The same, or a short form where the node isn't a map.
template <typename T>
Type<T> object_or_short(const Object<T>& (*object)(), Type<T> short_form, std::string label) {
  Type<T> type = either_type<T>(object_type<T>(object, label), std::move(short_form),
                                [](const Node& node) { return !is_map(node); });
  type.format = nullptr;
  return type;
}

}  // namespace config
