// A type of value in the configuration: how it is read, shown as a default, and described.
//
// Type<V> reads a node into a V. What it can't read it reports, leaves the value as it was, and
// says false. Types are made by functions (`duration()`, `list_of(network())`) and put together in
// config/object.h. Immutable; any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <format>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/cidr.h"
#include "base/glob.h"
#include "base/template.h"
#include "base/text.h"
#include "config/diagnostics.h"
#include "config/node.h"
#include "config/reader.h"
#include "config/shape.h"
#include "http/regex.h"

namespace config {

template <typename V>
struct Type {
  using Value = V;
  Shape shape;
  std::function<bool(Reader&, const Node&, V&)> read;
  // How a default is written; may be empty.
  std::function<std::string(const V&)> format;
};

// Scalars.
Type<bool> boolean();
// A path of a file or folder; relative ones are resolved (Reader::resolve_path).
Type<std::string> file_path(std::string label, FileReference::Kind kind);
// Any text that isn't empty.
Type<std::string> text(std::string label = "text");
// A path of a URL: begins with a slash.
Type<std::string> url_path(std::string label = "URL path");
Type<std::chrono::nanoseconds> duration(std::chrono::nanoseconds minimum,
                                        std::chrono::nanoseconds maximum);
Type<std::uint64_t> size(std::uint64_t minimum, std::uint64_t maximum);
// A size, or `word` which stands for `value`.
Type<std::uint64_t> size_or(std::string word, std::uint64_t value, std::uint64_t minimum,
                            std::uint64_t maximum);

template <std::integral N>
Type<N> size_as(std::type_identity_t<N> minimum, std::type_identity_t<N> maximum) {
  Type<std::uint64_t> wide = size(minimum, maximum);
  Type<N> type;
  type.shape = wide.shape;
  type.format = [format = wide.format](const N& value) { return format(value); };
  type.read = [read = wide.read](Reader& reader, const Node& node, N& out) {
    std::uint64_t value = 0;
    if (!read(reader, node, value)) return false;
    out = static_cast<N>(value);
    return true;
  };
  return type;
}

// A template whose result lands where `escape` says; literal text with controls is refused for
// fields.
Type<base::Template> text_template(base::Escape escape);
Type<http::Regex> regex();
Type<base::Glob> glob();  // of paths: one that doesn't begin as they do never matches
// `*.php` as a glob that matches paths: `/**/*.php`.
std::string rooted_glob(std::string_view glob);
Type<base::Address> listen_address();
// Networks, one or several.
Type<base::CidrSet> networks();
// A field's name; the names that frame a message are refused.
Type<std::string> field_name();
bool read_field_name(Reader& reader, const Node& node, std::string_view name);

// The scalar's text from byte `from` on as a regular expression.
bool read_regex(Reader& reader, const Node& node, std::size_t from, http::Regex& out);

// The number of a scalar between two bounds, or an error.
std::optional<std::uint64_t> read_integer(Reader& reader, const Node& node, std::uint64_t minimum,
                                          std::uint64_t maximum);

template <std::integral N>
Type<N> integer(std::type_identity_t<N> minimum, std::type_identity_t<N> maximum) {
  Type<N> type;
  type.shape = {.kind = Shape::Kind::integer,
                .label = "number",
                .minimum = static_cast<std::uint64_t>(minimum),
                .maximum = static_cast<std::uint64_t>(maximum)};
  type.read = [minimum, maximum](Reader& reader, const Node& node, N& out) {
    const auto value = read_integer(reader, node, static_cast<std::uint64_t>(minimum),
                                    static_cast<std::uint64_t>(maximum));
    if (value) out = static_cast<N>(*value);
    return value.has_value();
  };
  type.format = [](const N& value) { return std::to_string(value); };
  return type;
}

// A number, or `word`, which stands for `value`.
template <std::integral N>
Type<N> integer_or(std::string word, std::type_identity_t<N> value, Type<N> numbers) {
  Type<N> type;
  type.shape = {
      .kind = Shape::Kind::one_of,
      .label = std::format("number or `{}`", word),
      .items = {{.kind = Shape::Kind::words, .label = word, .words = {word}}, numbers.shape}};
  type.format = [word, value](const N& v) { return v == value ? word : std::to_string(v); };
  type.read = [word, value, read = numbers.read](Reader& reader, const Node& node, N& out) {
    if (node.kind != Node::Kind::scalar || node.text != word) return read(reader, node, out);
    out = value;
    return true;
  };
  return type;
}

// One of some words.
template <typename E>
struct Word {
  std::string_view text;
  E value;
};

template <typename E>
Type<E> words(std::vector<Word<E>> list, std::string label = {}) {
  Type<E> type;
  type.shape.kind = Shape::Kind::words;
  for (const Word<E>& word : list) {
    type.shape.words.emplace_back(word.text);
    if (label.empty()) {
      type.shape.label += std::format("{}`{}`", type.shape.label.empty() ? "" : ", ", word.text);
    }
  }
  if (!label.empty()) type.shape.label = std::move(label);
  type.format = [list](const E& value) {
    const auto found = std::ranges::find(list, value, &Word<E>::value);
    return found == list.end() ? std::string() : std::string(found->text);
  };
  type.read = [list](Reader& reader, const Node& node, E& out) {
    std::vector<std::string_view> names;
    for (const Word<E>& word : list) names.push_back(word.text);
    const std::string* text = reader.scalar(node, either(names));
    if (text == nullptr) return false;
    const auto found = std::ranges::find(list, *text, &Word<E>::text);
    if (found != list.end()) {
      out = found->value;
      return true;
    }
    // A number isn't a misspelled other one.
    std::string hint = std::ranges::any_of(*text, base::is_alpha) ? did_you_mean(*text, names) : "";
    reader.error(node, std::format("expected {}, found {}", either(names), in_quotes(*text)),
                 std::move(hint));
    return false;
  };
  return type;
}

// Composites. `[a, b]`, or one item without brackets. `keep_bad`: items with errors stay as far as
// they were read, so that what refers to them isn't wrong, too.
template <typename V>
Type<std::vector<V>> list_of(Type<V> item, std::size_t count_max = 100'000, bool keep_bad = false) {
  Type<std::vector<V>> type;
  type.shape = {.kind = Shape::Kind::list,
                .label = std::format("list: {}", item.shape.label),
                .items = {item.shape}};
  type.read = [read = item.read, count_max, keep_bad](Reader& reader, const Node& node,
                                                      std::vector<V>& out) {
    std::vector<V> values;
    bool good = true;
    const auto one = [&](const Node& from) {
      V value{};
      const bool is_good = read(reader, from, value);
      if (is_good || keep_bad) values.push_back(std::move(value));
      good = good && is_good;
    };
    if (node.kind == Node::Kind::null) {
      reader.error(node, "expected a list, found nothing", "write [] for an empty list");
      return false;
    }
    if (node.kind == Node::Kind::sequence) {
      if (node.items.size() > count_max) {
        reader.error(node, std::format("more than {} items", count_max));
        return false;
      }
      for (const Node* child : node.items) one(*child);
    } else {
      one(node);
    }
    out = std::move(values);
    return good;
  };
  if (item.format) {
    type.format = [format = item.format](const std::vector<V>& values) {
      std::string out = "[";
      for (const V& value : values) {
        if (out.size() > 1) out += ", ";
        out += format(value);
      }
      return out + "]";
    };
  }
  return type;
}

template <typename V>
Type<std::optional<V>> optional(Type<V> inner) {
  Type<std::optional<V>> type;
  type.shape = inner.shape;
  type.read = [read = inner.read](Reader& reader, const Node& node, std::optional<V>& out) {
    V value = out.value_or(V{});
    if (!read(reader, node, value)) return false;
    out = std::move(value);
    return true;
  };
  return type;
}

// `first`, or what `second` reads; `second` is asked where `is_second(node)`.
template <typename V>
Type<V> either_type(Type<V> first, Type<V> second, std::function<bool(const Node&)> is_second) {
  Type<V> type;
  type.shape = {.kind = Shape::Kind::one_of,
                .label = std::format("{} or {}", first.shape.label, second.shape.label),
                .items = {first.shape, second.shape}};
  type.format = first.format;
  type.read = [a = first.read, b = second.read, is_second](Reader& reader, const Node& node,
                                                           V& out) {
    return is_second(node) ? b(reader, node, out) : a(reader, node, out);
  };
  return type;
}

// A type whose value is made of another's.
template <typename V, typename W, typename Assign>
Type<V> mapped(Type<W> inner, Assign assign) {
  Type<V> type;
  type.shape = inner.shape;
  type.read = [read = inner.read, assign](Reader& reader, const Node& node, V& out) {
    W value{};
    if (!read(reader, node, value)) return false;
    assign(out, std::move(value));
    return true;
  };
  return type;
}

inline bool is_map(const Node& node) { return node.kind == Node::Kind::map; }

}  // namespace config
