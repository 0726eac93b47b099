#include "config/type.h"

#include <array>
#include <cstddef>

#include "base/cidr.h"
#include "base/duration.h"
#include "base/escape.h"
#include "http/path.h"
#include "http/syntax.h"
#include "http/variables.h"

namespace config {
namespace {

// The values' own errors are `what is wrong; what to write`.
void report(Reader& reader, const Node& node, std::string error) {
  if (const std::size_t at = error.find("'" + node.text + "'"); at != std::string::npos) {
    error.replace(at, node.text.size() + 2, in_quotes(node.text));
  }
  const std::size_t semicolon = error.find("; ");
  if (semicolon == std::string_view::npos) {
    reader.error(node, std::move(error));
  } else {
    reader.error(node, error.substr(0, semicolon), error.substr(semicolon + 2));
  }
}

constexpr std::string_view kDurationPattern = "^(0|([0-9]+(ms|d|h|m|s))+)$";
constexpr std::string_view kSizePattern = "^[0-9]+ ?([kKmMgGtT]?[iI]?[bB]?)$";

Shape text_shape(std::string label) {
  return {.kind = Shape::Kind::any_text, .label = std::move(label)};
}

Shape pattern_shape(std::string label, std::string_view pattern) {
  return {.kind = Shape::Kind::pattern, .label = std::move(label), .pattern = std::string(pattern)};
}

bool read_size(Reader& reader, const Node& node, std::uint64_t minimum, std::uint64_t maximum,
               std::uint64_t& out) {
  const std::string* text = reader.scalar(node, "a size like 64KiB");
  if (text == nullptr) return false;
  const auto value = base::parse_size(*text);
  if (!value) {
    report(reader, node, value.error());
    return false;
  }
  if (*value < minimum || *value > maximum) {
    reader.error(node, std::format("{} is out of range", in_quotes(*text)),
                 std::format("write a size from {} to {}", base::format_size(minimum),
                             base::format_size(maximum)));
    return false;
  }
  out = *value;
  return true;
}

}  // namespace

std::optional<std::uint64_t> read_integer(Reader& reader, const Node& node, std::uint64_t minimum,
                                          std::uint64_t maximum) {
  const std::string* text =
      reader.scalar(node, std::format("a number from {} to {}", minimum, maximum));
  if (text == nullptr) return std::nullopt;
  const auto value = base::parse_decimal(*text);
  // "007" and what is longer than any number are refused, too.
  const bool digits = !text->empty() && text->find_first_not_of("0123456789") == std::string::npos;
  if (digits && (!value || *value < minimum || *value > maximum)) {
    reader.error(node, std::format("{} is out of range", in_quotes(*text)),
                 std::format("write a number from {} to {}", minimum, maximum));
    return std::nullopt;
  }
  if (!value) {
    reader.error(node, std::format("{} is not a number", in_quotes(*text)),
                 std::format("write a whole number from {} to {}", minimum, maximum));
  }
  return value;
}

Type<bool> boolean() {
  Type<bool> type;
  type.shape = {.kind = Shape::Kind::boolean, .label = "`true` or `false`"};
  type.format = [](const bool& value) { return value ? "true" : "false"; };
  type.read = [](Reader& reader, const Node& node, bool& out) {
    const std::string* text = reader.scalar(node, "true or false");
    if (text == nullptr) return false;
    if (*text == "true" || *text == "false") {
      out = *text == "true";
      return true;
    }
    constexpr std::array kTrue = {"yes", "on", "y", "1", "enabled"};
    constexpr std::array kFalse = {"no", "off", "n", "0", "disabled"};
    const std::string lower = base::lower(*text);
    std::string hint = "write true or false";
    if (lower == "true" || std::ranges::contains(kTrue, lower)) hint = "write true";
    if (lower == "false" || std::ranges::contains(kFalse, lower)) hint = "write false";
    reader.error(node, std::format("expected true or false, found {}", in_quotes(*text)),
                 std::move(hint));
    return false;
  };
  return type;
}

Type<std::string> text(std::string label) {
  Type<std::string> type;
  type.shape = text_shape(label);
  type.format = [](const std::string& value) { return value; };
  type.read = [label](Reader& reader, const Node& node, std::string& out) {
    const std::string* text = reader.scalar(node, "a " + label);
    if (text == nullptr) return false;
    if (text->empty()) {
      reader.error(node, std::format("expected a {}, found an empty text", label));
      return false;
    }
    if (text->find('\0') != std::string::npos) {
      reader.error(node, "a NUL byte can't stand here");
      return false;
    }
    out = *text;
    return true;
  };
  return type;
}

Type<std::string> file_path(std::string label, FileReference::Kind kind) {
  Type<std::string> type = text(std::move(label));
  type.read = [read = type.read, kind](Reader& reader, const Node& node, std::string& out) {
    if (!read(reader, node, out)) return false;
    out = reader.resolve_path(node, out);
    reader.files.push_back({.node = &node, .path = out, .kind = kind});
    return true;
  };
  return type;
}

Type<std::string> url_path(std::string label) {
  Type<std::string> type = text(label);
  type.shape = pattern_shape(label, "^/");
  type.read = [read = type.read](Reader& reader, const Node& node, std::string& out) {
    std::string path;
    if (!read(reader, node, path)) return false;
    if (!path.starts_with('/')) {
      reader.error(node, std::format("{} doesn't begin with a slash", in_quotes(path)),
                   std::format("write {}", in_quotes("/" + path)));
      return false;
    }
    std::string scratch(path.size(), '\0');
    const auto canonical = http::canonical_path(path, scratch.data());
    if (!canonical) {
      reader.error(node, std::format("{} is not a path: {}", in_quotes(path),
                                     http::to_string(canonical.error())));
      return false;
    }
    if (*canonical != path) {
      reader.error(node,
                   std::format("{} never matches: paths are compared in their canonical form",
                               in_quotes(path)),
                   std::format("write {}", in_quotes(*canonical)));
      return false;
    }
    out = std::move(path);
    return true;
  };
  return type;
}

Type<std::chrono::nanoseconds> duration(std::chrono::nanoseconds minimum,
                                        std::chrono::nanoseconds maximum) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  Type<std::chrono::nanoseconds> type;
  type.shape = pattern_shape("duration", kDurationPattern);
  type.format = [](const std::chrono::nanoseconds& value) {
    return base::format_duration(duration_cast<milliseconds>(value));
  };
  type.read = [minimum, maximum](Reader& reader, const Node& node, std::chrono::nanoseconds& out) {
    const std::string* text = reader.scalar(node, "a duration like 30s");
    if (text == nullptr) return false;
    const auto value = base::parse_duration(*text);
    if (!value) {
      report(reader, node, value.error());
      return false;
    }
    if (*value < minimum || *value > maximum) {
      reader.error(node, std::format("{} is out of range", in_quotes(*text)),
                   std::format("write a duration from {} to {}",
                               base::format_duration(duration_cast<milliseconds>(minimum)),
                               base::format_duration(duration_cast<milliseconds>(maximum))));
      return false;
    }
    out = *value;
    return true;
  };
  return type;
}

Type<std::uint64_t> size(std::uint64_t minimum, std::uint64_t maximum) {
  Type<std::uint64_t> type;
  type.shape = pattern_shape("size", kSizePattern);
  type.format = [](const std::uint64_t& value) { return base::format_size(value); };
  type.read = [minimum, maximum](Reader& reader, const Node& node, std::uint64_t& out) {
    return read_size(reader, node, minimum, maximum, out);
  };
  return type;
}

Type<std::uint64_t> size_or(std::string word, std::uint64_t value, std::uint64_t minimum,
                            std::uint64_t maximum) {
  Type<std::uint64_t> type;
  type.shape = {.kind = Shape::Kind::one_of,
                .label = std::format("size or `{}`", word),
                .items = {pattern_shape("size", kSizePattern),
                          {.kind = Shape::Kind::words, .label = word, .words = {word}}}};
  type.format = [word, value](const std::uint64_t& v) {
    return v == value ? word : base::format_size(v);
  };
  type.read = [word, value, minimum, maximum](Reader& reader, const Node& node,
                                              std::uint64_t& out) {
    if (node.kind == Node::Kind::scalar && node.text == word) {
      out = value;
      return true;
    }
    return read_size(reader, node, minimum, maximum, out);
  };
  return type;
}

// Which groups of matches a template takes, with their places.
static void note_matches(Reader& reader, const Node& node, std::string_view text) {
  constexpr std::string_view kBegin = "{match.";
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    if (text.substr(at).starts_with("{{")) {
      at += 2;
      continue;
    }
    if (text.substr(at).starts_with(kBegin)) {
      const std::size_t from = at + kBegin.size();
      const std::size_t end = text.find_first_of("|}", from);
      reader.match_references.push_back(
          {.node = &node, .offset = at, .name = std::string(text.substr(from, end - from))});
    }
    ++at;
  }
}

Type<base::Template> text_template(base::Escape escape) {
  Type<base::Template> type;
  type.shape = text_shape("template");
  type.format = [](const base::Template& value) { return std::string(value.literal_text()); };
  type.read = [escape](Reader& reader, const Node& node, base::Template& out) {
    const std::string* text = reader.scalar(node, "text");
    if (text == nullptr) return false;
    auto compiled = base::Template::compile(*text, http::variables());
    if (!compiled) {
      const base::TemplateError& error = compiled.error();
      const std::size_t end = text->find('}', error.offset);
      const std::size_t size = end == std::string::npos ? 1 : end + 1 - error.offset;
      std::string hint;
      if (error.suggestion.starts_with("{{")) {
        hint = "write " + error.suggestion;
      } else if (!error.suggestion.empty()) {
        hint = std::format("did you mean {}?", in_quotes(error.suggestion));
      }
      reader.error_within(node, error.offset, size, error.message, std::move(hint));
      return false;
    }
    if (escape == base::Escape::kField && compiled->has_controls()) {
      std::size_t at = 0;
      while (at < text->size() && ((*text)[at] == '\t' || !base::is_control((*text)[at]))) ++at;
      reader.error_within(node, at, 1,
                          "a field's value can't hold line breaks or control characters",
                          "write it on one line");
      return false;
    }
    note_matches(reader, node, *text);
    out = std::move(*compiled);
    return true;
  };
  return type;
}

Type<http::Regex> regex() {
  Type<http::Regex> type;
  type.shape = text_shape("regular expression");
  type.read = [](Reader& reader, const Node& node, http::Regex& out) {
    const std::string* text = reader.scalar(node, "a regular expression");
    if (text == nullptr) return false;
    return read_regex(reader, node, 0, out);
  };
  return type;
}

bool read_regex(Reader& reader, const Node& node, std::size_t from, http::Regex& out) {
  auto compiled = http::Regex::compile(std::string_view(node.text).substr(from));
  if (compiled) {
    out = std::move(*compiled);
    return true;
  }
  reader.error_within(node, from + compiled.error().offset, 1,
                      std::format("regular expression: {}", compiled.error().message));
  return false;
}

std::string rooted_glob(std::string_view glob) {
  if (glob.starts_with('/') || glob.starts_with("**")) return std::string(glob);
  return (glob.starts_with('*') || glob.starts_with('?') ? "/**/" : "/") + std::string(glob);
}

Type<base::Glob> glob() {
  Type<base::Glob> type;
  type.shape = text_shape("glob");
  type.read = [](Reader& reader, const Node& node, base::Glob& out) {
    const std::string* text = reader.scalar(node, "a glob like /assets/**");
    if (text == nullptr) return false;
    auto compiled = base::Glob::compile(*text);
    if (!compiled) {
      report(reader, node, compiled.error());
      return false;
    }
    const bool rooted = text->starts_with('/') || text->starts_with("**") ||
                        text->starts_with('{') || text->starts_with('\\');
    if (!rooted) {
      reader.error(node,
                   std::format("{} never matches: paths begin with a slash", in_quotes(*text)),
                   std::format("write {}", in_quotes(rooted_glob(*text))));
      return false;
    }
    out = std::move(*compiled);
    return true;
  };
  return type;
}

Type<base::Address> listen_address() {
  Type<base::Address> type;
  type.shape = text_shape("address");
  type.format = [](const base::Address& value) { return value.to_string(); };
  type.read = [](Reader& reader, const Node& node, base::Address& out) {
    const std::string* text = reader.scalar(node, "an address like :8080");
    if (text == nullptr) return false;
    if (const auto port = base::parse_decimal(*text)) {
      reader.error(node, std::format("{} is no address", in_quotes(*text)),
                   std::format("write {} to listen on that port", in_quotes(":" + *text)));
      return false;
    }
    auto address = base::Address::parse(*text);
    if (!address) {
      report(reader, node, address.error());
      return false;
    }
    if (!address->is_unix() && address->port() == 0 && !text->ends_with(":0")) {
      reader.error(node, std::format("{} has no port", in_quotes(*text)),
                   std::format("write {}", in_quotes(address->with_port(80).to_string())));
      return false;
    }
    out = std::move(*address);
    return true;
  };
  return type;
}

Type<base::CidrSet> networks() {
  const auto read_one = [](Reader& reader, const Node& node, std::vector<std::string>& out) {
    const std::string* text = reader.scalar(node, "a network like 10.0.0.0/8");
    if (text == nullptr) return false;
    if (*text != "unix") {
      if (const auto cidr = base::Cidr::parse(*text); !cidr) {
        report(reader, node, cidr.error());
        return false;
      }
    }
    out.push_back(*text);
    return true;
  };
  Type<base::CidrSet> type;
  type.shape = {.kind = Shape::Kind::list,
                .label = "list of networks (`10.0.0.0/8`, `fd00::/8`, one address, `unix`)",
                .items = {text_shape("network")}};
  type.read = [read_one](Reader& reader, const Node& node, base::CidrSet& out) {
    std::vector<std::string> entries;
    bool good = true;
    if (node.kind == Node::Kind::sequence) {
      for (const Node* item : node.items) good = read_one(reader, *item, entries) && good;
    } else {
      good = read_one(reader, node, entries);
    }
    if (!good) return false;
    if (entries.empty()) {
      reader.error(node, "a list of networks without any",
                   "write at least one, or leave the key out");
      return false;
    }
    auto set = base::CidrSet::parse(entries);
    if (!set) {
      report(reader, node, set.error());
      return false;
    }
    out = std::move(*set);
    return true;
  };
  return type;
}

bool read_field_name(Reader& reader, const Node& node, std::string_view name) {
  if (!http::is_token(name)) {
    reader.error(node, std::format("{} is not a field's name", in_quotes(name)),
                 "a name has letters, digits and - . _ only");
    return false;
  }
  // What frames a message is the server's work (S29); one more of these is how smuggling begins.
  constexpr std::array kFraming = {
      "connection", "content-length", "keep-alive",        "proxy-connection",
      "te",         "trailer",        "transfer-encoding", "upgrade"};
  if (std::ranges::contains(kFraming, base::lower(name))) {
    reader.error(node,
                 std::format("{} belongs to the connection and can't be changed", in_quotes(name)));
    return false;
  }
  return true;
}

Type<std::string> field_name() {
  Type<std::string> type = text("field name");
  type.format = nullptr;
  type.read = [](Reader& reader, const Node& node, std::string& out) {
    const std::string* name = reader.scalar(node, "a field's name");
    if (name == nullptr || !read_field_name(reader, node, *name)) return false;
    out = *name;
    return true;
  };
  return type;
}

}  // namespace config
