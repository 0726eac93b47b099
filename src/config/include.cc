#include "config/include.h"

#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "config/document.h"

namespace config {
namespace {

std::expected<std::string, std::string> read_file(const std::string& path) {
  const auto failed = [](int error) {
    return std::unexpected(std::error_code(error, std::generic_category()).message());
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return failed(EISDIR);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return failed(errno == 0 ? EIO : errno);
  // One byte too many is read where the file is too large: parse_document says so.
  std::string text(kFileSizeMax + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad()) return failed(EIO);
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::vector<std::string> find_files(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_ERR, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): nobody sets any
  if (value == nullptr) return std::nullopt;
  return value;
}

class TreeReader {
 public:
  TreeReader(const Surroundings& surroundings, Sources& sources, NodeStore& store,
             Diagnostics& diagnostics)
      : surroundings_(surroundings), sources_(sources), store_(store), diagnostics_(diagnostics) {}

  // `from`: the scalar that includes it, or nullptr for the first file.
  Node* read(const std::string& path, const Node* from) {
    auto text = surroundings_.read(path);
    if (!text) {
      fail(from, std::format("cannot read {}: {}", in_quotes(path), text.error()));
      return nullptr;
    }
    bytes_ += text->size();
    if (bytes_ > kBytesMax || sources_.size() >= kFilesMax) {
      fail(from, std::format("the configuration has more than {} files or {}MiB", kFilesMax,
                             kBytesMax >> 20));
      return nullptr;
    }
    if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);  // a byte order mark
    const std::uint32_t file = sources_.add(path, std::move(*text));
    seen_.insert(identity(path));
    Node* root = parse_document(sources_, file, store_, surroundings_.environment, diagnostics_);
    if (root == nullptr) return nullptr;
    if (root->kind != Node::Kind::map) {
      if (root->kind == Node::Kind::null && from != nullptr) return nullptr;  // only comments
      if (root->kind == Node::Kind::null) {
        diagnostics_.error({.file = file, .offset = 0, .size = 0}, "the file is empty",
                           "the least is sites: [{host: example.com, files: /srv/www}]");
        return nullptr;
      }
      diagnostics_.error(
          place(sources_[file], *root),
          std::format("expected a map of keys at the top of the file, found {}", kind_name(*root)),
          "begin with a key like \"sites:\"");
      return nullptr;
    }
    path_.push_back(identity(path));
    if (const Node::Entry* include = root->find("include")) include_all(*root, *include->value);
    path_.pop_back();
    return root;
  }

 private:
  static std::string identity(const std::string& path) {
    return std::filesystem::path(path).lexically_normal().string();
  }

  void fail(const Node* from, std::string message) {
    if (from != nullptr) {
      diagnostics_.error(place(sources_[from->file], *from), std::move(message));
    } else {
      diagnostics_.failure(std::move(message));
    }
  }

  void include_all(Node& root, const Node& list) {
    if (list.kind == Node::Kind::scalar) include_pattern(root, list);
    for (const Node* item : list.items) {
      if (item->kind == Node::Kind::scalar) include_pattern(root, *item);
    }
  }

  void include_pattern(Node& root, const Node& pattern) {
    if (pattern.broken || pattern.text.empty()) return;
    const Source& source = sources_[pattern.file];
    const std::string path =
        pattern.text.starts_with('/') ? pattern.text : source.folder() + pattern.text;
    if (path.find_first_of("*?[") == std::string::npos) {
      if (std::ranges::contains(path_, identity(path))) {
        fail(&pattern, std::format("{} includes itself", in_quotes(path)));
      } else if (!seen_.contains(identity(path))) {
        include_file(root, path, pattern);
      }
      return;
    }
    for (const std::string& found : surroundings_.glob(path)) {
      if (!seen_.contains(identity(found))) include_file(root, found, pattern);
    }
  }

  void include_file(Node& root, const std::string& path, const Node& pattern) {
    if (path_.size() > kIncludeDepthMax) {
      fail(&pattern, std::format("files include each other more than {} deep", kIncludeDepthMax));
      return;
    }
    if (const Node* included = read(path, &pattern)) merge(root, *included, true);
  }

  void merge(Node& into, const Node& from, bool top) {
    for (const Node::Entry& entry : from.entries) {
      if (top && (entry.key->text == "include" || entry.key->text.starts_with("x-"))) continue;
      const Node::Entry* known = into.find(entry.key->text);
      if (known == nullptr) {
        into.entries.push_back(entry);
        continue;
      }
      Node& value = *known->value;
      if (value.kind != entry.value->kind || value.kind == Node::Kind::scalar) {
        diagnostics_.error(
            place(sources_[entry.key->file], *entry.key),
            std::format("the key {} is here and in {}:{}", in_quotes(entry.key->text),
                        sources_[known->key->file].name(),
                        sources_[known->key->file].position(known->key->offset).line),
            "keep it in one of the files");
      } else if (value.kind == Node::Kind::sequence) {
        value.items.insert(value.items.end(), entry.value->items.begin(), entry.value->items.end());
      } else if (top) {
        merge(value, *entry.value, false);
      } else {
        diagnostics_.error(
            place(sources_[entry.key->file], *entry.key),
            std::format("the name {} is here and in {}:{}", in_quotes(entry.key->text),
                        sources_[known->key->file].name(),
                        sources_[known->key->file].position(known->key->offset).line),
            "rename one of them");
      }
    }
  }

  const Surroundings& surroundings_;
  Sources& sources_;
  NodeStore& store_;
  Diagnostics& diagnostics_;
  std::vector<std::string> path_;  // of files that are being read
  std::set<std::string> seen_;
  std::size_t bytes_ = 0;
};

}  // namespace

Surroundings Surroundings::of_process() {
  return {.read = read_file, .glob = find_files, .environment = variable};
}

Node* read_tree(const std::string& path, const Surroundings& surroundings, Sources& sources,
                NodeStore& store, Diagnostics& diagnostics) {
  return TreeReader(surroundings, sources, store, diagnostics).read(path, nullptr);
}

}  // namespace config
