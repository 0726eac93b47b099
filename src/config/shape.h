// What a value of the configuration looks like, for the JSON Schema and the reference.
//
// Made beside the reader of the same value (config/type.h), by the same call: so what is documented
// is what is read. Plain data.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace config {

struct ObjectShape;

struct Shape {
  enum class Kind : std::uint8_t {
    any_text,
    pattern,  // text that `pattern` describes
    words,    // one of `words`
    boolean,
    integer,  // minimum to maximum
    list,     // of items[0]; a single one may stand for a list of one
    map,      // of names to items[0]
    object,
    one_of,  // any of `items`
  };
  Kind kind = Kind::any_text;
  std::string label{};  // "duration", "list of networks"
  std::string pattern{};
  std::vector<std::string> words{};
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::vector<Shape> items{};
  // A function, for objects may contain themselves.
  std::function<const ObjectShape&()> object{};
};

struct KeyShape {
  std::string name{};
  Shape value{};
  std::string default_text{};  // empty: there is none
  std::string description{};
  std::vector<std::string> examples{};
  std::string since{};  // the version that brought it
  bool required = false;
};

struct ObjectShape {
  std::string name{};         // "listener": in messages and as the schema's definition
  std::string description{};  // one sentence
  std::vector<KeyShape> keys{};
  // Of these exactly one, where there are any.
  std::vector<std::string> choice{};
};

}  // namespace config
