#include "config/document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <format>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"

namespace config {
namespace {

// Leaves yaml-cpp's parser once a limit is reached.
struct Stop : std::runtime_error {
  Stop(std::size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

// Makes nodes of the parser's events.
class Builder final : public YAML::EventHandler {
 public:
  Builder(const Sources& sources, std::uint32_t file, NodeStore& store,
          const Environment& environment, Diagnostics& diagnostics)
      : source_(sources[file]),
        file_(file),
        store_(store),
        environment_(environment),
        diagnostics_(diagnostics) {}

  Node* root() const { return root_; }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node* key = frames_.empty() ? nullptr : frames_.back().key;
    Node* node = make(mark, anchor, Node::Kind::null);
    node->complete = true;
    // What isn't there is shown where its key is.
    if (key != nullptr) node->offset = key->offset;
    add(node);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end() || !found->second->complete) {
      throw Stop(offset(mark), "an alias inside of what it stands for would never end");
    }
    aliased_ += found->second->expanded;
    if (aliased_ > kAliasedNodesMax) {
      throw Stop(offset(mark), std::format("the aliases of this file expand to more than {} values",
                                           kAliasedNodesMax));
    }
    if (expects_key()) throw Stop(offset(mark), "a key can't be an alias");
    add(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool is_key = expects_key();
    if (tag != "?") check_closed(offset(mark));
    Node* node = make(mark, anchor, Node::Kind::scalar);
    node->plain = tag == "?";
    node->text = value;
    node->complete = true;
    check_tag(*node, tag);
    if (!is_key) {
      for (ExpandError& error : expand(*node, environment_)) {
        node->broken = true;
        diagnostics_.error(place_in_raw(source_, *node, error.offset, error.size),
                           std::move(error.message), std::move(error.hint));
      }
    }
    add(node);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override {
    merge(*frames_.back().node);
    close();
  }

 private:
  struct Frame {
    Node* node = nullptr;
    Node* key = nullptr;  // of a map: waits for its value
    std::unordered_map<std::string, const Node*> keys;
  };

  static std::size_t offset(const YAML::Mark& mark) {
    return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
  }

  bool expects_key() const {
    return !frames_.empty() && frames_.back().node->kind == Node::Kind::map &&
           frames_.back().key == nullptr;
  }

  Node* make(const YAML::Mark& mark, YAML::anchor_t anchor, Node::Kind kind) {
    if (store_.size() >= kNodesMax) {
      throw Stop(offset(mark), std::format("the configuration has more than {} values", kNodesMax));
    }
    Node* node = &store_.emplace_back();
    node->kind = kind;
    node->file = file_;
    node->offset = static_cast<std::uint32_t>(offset(mark));
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    return node;
  }

  void check_tag(const Node& node, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) return;
    diagnostics_.error({.file = file_, .offset = node.offset, .size = 0},
                       std::format("the tag {} has no meaning here", in_quotes(tag)),
                       "leave it out");
  }

  // yaml-cpp takes the end of the file for the quote that is missing.
  void check_closed(std::size_t at) const {
    const std::string_view text = source_.text();
    at = skip_properties(text, at);
    const char quote = at < text.size() ? text[at] : ' ';
    if (quote != '"' && quote != '\'') return;
    for (std::size_t i = at + 1; i < text.size(); ++i) {
      if (text[i] == '\\' && quote == '"') {
        ++i;
      } else if (text[i] == quote) {
        return;
      }
    }
    throw Stop(at, "YAML: a quote that is never closed");
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            Node::Kind kind) {
    if (expects_key()) throw Stop(offset(mark), "a key must be text, not a list or a map");
    if (frames_.size() >= kDepthMax) {
      throw Stop(offset(mark), std::format("nested more than {} deep", kDepthMax));
    }
    Node* node = make(mark, anchor, kind);
    check_tag(*node, tag);
    frames_.push_back({.node = node, .key = nullptr, .keys = {}});
  }

  void close() {
    Node* node = frames_.back().node;
    frames_.pop_back();
    node->complete = true;
    for (const Node* item : node->items) node->expanded += item->expanded;
    for (const Node::Entry& entry : node->entries) node->expanded += 1 + entry.value->expanded;
    add(node);
  }

  void add(Node* node) {
    if (frames_.empty()) {
      root_ = node;
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node->kind == Node::Kind::sequence) {
      frame.node->items.push_back(node);
      return;
    }
    if (frame.key == nullptr) {
      if (node->kind != Node::Kind::scalar) throw Stop(node->offset, "a key is missing here");
      frame.key = node;
      return;
    }
    Node* key = std::exchange(frame.key, nullptr);
    const auto [known, added] = frame.keys.emplace(key->text, key);
    if (!added && !is_merge(*key)) {
      const std::size_t line = source_.position(known->second->offset).line;
      diagnostics_.error(
          place(source_, *key),
          std::format("the key {} is here twice; first on line {}", in_quotes(key->text), line),
          "remove one of them");
      return;
    }
    frame.node->entries.push_back({.key = key, .value = node});
  }

  static bool is_merge(const Node& key) { return key.plain && key.text == "<<"; }

  // `<<: *defaults` or `<<: [*a, *b]`: a map's own keys win, then the earlier of the list.
  void merge(Node& map) {
    if (std::ranges::none_of(map.entries, [](const auto& e) { return is_merge(*e.key); })) return;
    std::vector<Node::Entry> own = std::exchange(map.entries, {});
    std::vector<const Node*> merged;
    for (const Node::Entry& entry : own) {
      if (!is_merge(*entry.key)) {
        map.entries.push_back(entry);
      } else if (entry.value->kind == Node::Kind::sequence) {
        merged.insert(merged.end(), entry.value->items.begin(), entry.value->items.end());
      } else {
        merged.push_back(entry.value);
      }
    }
    std::unordered_map<std::string_view, bool> present;
    for (const Node::Entry& entry : map.entries) present.emplace(entry.key->text, true);
    for (const Node* from : merged) {
      if (from->kind != Node::Kind::map) {
        diagnostics_.error(place(source_, *from), "\"<<\" merges maps, and this is none",
                           "write <<: *NAME for a map that &NAME marks");
        continue;
      }
      aliased_ += from->entries.size();
      if (aliased_ > kAliasedNodesMax) {
        throw Stop(from->offset,
                   std::format("the aliases of this file expand to more than {} values",
                               kAliasedNodesMax));
      }
      for (const Node::Entry& entry : from->entries) {
        if (present.emplace(entry.key->text, true).second) map.entries.push_back(entry);
      }
    }
  }

  const Source& source_;
  std::uint32_t file_;
  NodeStore& store_;
  const Environment& environment_;
  Diagnostics& diagnostics_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, Node*> anchors_;
  std::uint64_t aliased_ = 0;
  Node* root_ = nullptr;
};

struct Explanation {
  std::string message;
  std::string hint;
};

// yaml-cpp's words say what the scanner met; these say what to write.
Explanation explain(std::string_view message, std::string_view line, std::size_t column) {
  const std::string_view before = line.substr(0, std::min(column, line.size()));
  if (before.find('\t') != std::string_view::npos || message.contains("tab")) {
    return {"a tab where YAML wants spaces", "indent with spaces"};
  }
  if (message.contains("end of map flow") || message.contains("end of sequence flow")) {
    const bool braces =
        line.contains("${") || line.contains("{request.") || line.contains("{match.");
    return {"the list or map before this is not closed",
            braces ? "inside of [ ] and { }, put text with braces in quotes"
                   : "a ], a } or a comma is missing; text that holds \": \" needs quotes"};
  }
  if (message.contains("illegal map value")) {
    return {"a \": \" that can't stand here",
            "put text that holds \": \" in quotes, and check the indentation of the line"};
  }
  if (message.contains("end of map not found") || message.contains("end of sequence not found")) {
    return {"this line fits none of the levels before it",
            "check its indentation; keys of one map begin in the same column"};
  }
  if (message.contains("unknown token")) {
    return {"a character that can't begin a value", "put the value in quotes"};
  }
  if (message.contains("EOF in scalar")) {
    return {"a quote that is never closed", "end the text with the same quote"};
  }
  if (message.contains("unknown escape")) {
    return {std::string(message), "write \\\\ for a backslash, or use 'single quotes'"};
  }
  if (message.contains("referenced anchor")) {
    return {std::string(message), "mark a value with &NAME before *NAME stands for it"};
  }
  return {std::string(message), ""};
}

}  // namespace

Node* parse_document(const Sources& sources, std::uint32_t file, NodeStore& store,
                     const Environment& environment, Diagnostics& diagnostics) {
  const Source& source = sources[file];
  const auto fail = [&](std::size_t offset, std::string message, std::string hint) {
    diagnostics.error({.file = file, .offset = static_cast<std::uint32_t>(offset), .size = 0},
                      std::move(message), std::move(hint));
    return nullptr;
  };
  if (source.text().size() > kFileSizeMax) {
    return fail(0, std::format("the file is larger than {}MiB", kFileSizeMax >> 20), "");
  }
  if (const std::size_t bad = first_bad_byte(source.text()); bad != std::string_view::npos) {
    return fail(bad, "a byte that is not UTF-8 text", "save the file as UTF-8");
  }
  Builder builder(sources, file, store, environment, diagnostics);
  try {
    std::istringstream in{std::string(source.text())};
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder) || builder.root() == nullptr) {
      Node* nothing = &store.emplace_back();
      nothing->file = file;
      return nothing;
    }
    const Node* first = builder.root();
    if (parser.HandleNextDocument(builder) && builder.root() != first) {
      return fail(builder.root()->offset, "a second YAML document in the file",
                  "one file holds one document: remove the \"---\"");
    }
  } catch (const Stop& stop) {
    return fail(stop.offset, stop.what(), "");
  } catch (const YAML::Exception& error) {
    const auto offset =
        std::min(static_cast<std::size_t>(std::max(error.mark.pos, 0)), source.text().size());
    const Source::Position position = source.position(offset);
    Explanation what = explain(error.msg, source.line(position.line), position.column);
    return fail(offset, "YAML: " + what.message, std::move(what.hint));
  }
  return builder.root();
}

}  // namespace config
