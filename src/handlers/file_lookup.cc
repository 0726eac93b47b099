#include "handlers/file_lookup.h"

#include <cerrno>
#include <expected>
#include <utility>

namespace handlers {

namespace {

using Kind = FoundFile::Kind;

Kind kind_of_error(int code, bool warm_only) {
  switch (code) {
    case EAGAIN:
      // Without warm_only: the tree was being renamed while `..` of a link was followed, again and
      // again; what is asked for can't be told to be inside.
      return warm_only ? Kind::would_block : Kind::missing;
    case EACCES:
    case EPERM:
      return Kind::forbidden;
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:  // links in a circle, or one that is not followed
    case EXDEV:  // out of the root (F04)
    case ENXIO:  // a socket, or a FIFO (F04)
    case ENODEV:
    case EINVAL:
      return Kind::missing;
    default:
      return Kind::failed;
  }
}

// One lookup: opens names one after another until something answers.
class Search {
 public:
  Search(const io::Directory& root, const LookupRules& rules, bool warm_only,
         const KnownFile* known)
      : root_(root), rules_(rules), warm_only_(warm_only), known_(known) {}

  FoundFile run(std::string_view path) {
    const bool slash = path.ends_with('/');
    std::string name(path.substr(1));
    if (slash && !name.empty()) name.pop_back();
    if (slash) return in_directory(std::move(name));
    return named(std::move(name));
  }

 private:
  enum class Thing : uint8_t { file, directory, other };

  // Opens `name`; on failure result_ says why.
  std::optional<Thing> open(const std::string& name) {
    std::expected<io::OpenFile, io::Error> opened = root_.open(name, warm_only_);
    if (!opened) {
      result_.kind = opened.error().kind == io::Error::Kind::system
                         ? kind_of_error(opened.error().code, warm_only_)
                         : Kind::missing;
      result_.error = opened.error().code;
      return std::nullopt;
    }
    opened_ = std::move(*opened);
    if (opened_.status.directory) return Thing::directory;
    return opened_.status.regular ? Thing::file : Thing::other;
  }

  bool hopeless() const { return result_.kind != Kind::missing; }

  FoundFile in_directory(std::string directory) {
    for (const std::string& index : rules_.index) {
      std::string name = directory.empty() ? index : directory + "/" + index;
      const std::optional<Thing> thing = open(name);
      if (thing == Thing::file) return file(std::move(name));
      if (!thing && hopeless()) return std::move(result_);
    }
    if (open(directory) == Thing::directory) result_.kind = Kind::directory;
    return std::move(result_);
  }

  FoundFile named(std::string name) {
    if (rules_.clean_urls && name.ends_with(".html") && clean(name)) return std::move(result_);
    const std::optional<Thing> thing = open(name);
    if (thing == Thing::file) return file(std::move(name));
    if (!thing && hopeless()) return std::move(result_);
    if (rules_.clean_urls && thing != Thing::other) {
      std::string page = name + ".html";
      if (open(page) == Thing::file) return file(std::move(page));
      if (hopeless()) return std::move(result_);
    }
    if (thing == Thing::directory) result_.kind = Kind::add_slash;
    return std::move(result_);
  }

  // Whether `name`, which ends in .html, has a shorter address that leads to the same file. Sets
  // the result's kind then, and when that can't be told.
  bool clean(const std::string& name) {
    const size_t slash = name.rfind('/');
    const std::string_view last = std::string_view(name).substr(slash == name.npos ? 0 : slash + 1);
    if (open(name) != Thing::file) return hopeless();
    if (!rules_.index.empty() && last == rules_.index.front()) {
      result_.kind = Kind::drop_suffix;
      return true;
    }
    if (last == ".html") return false;
    // A file of the short name would answer in its place.
    const std::optional<Thing> thing = open(name.substr(0, name.size() - 5));
    if (thing && *thing != Thing::directory) return false;
    if (hopeless()) return true;
    result_.kind = Kind::drop_suffix;
    return true;
  }

  // opened_ is the file `name`.
  FoundFile file(std::string name) {
    result_.kind = Kind::file;
    const io::FileStatus own = opened_.status;
    result_.forms.push_back({http::Coding::kIdentity, own, std::move(opened_), {}, false});
    for (Encoding encoding : rules_.precompressed) {
      const http::Coding coding = coding_of(encoding);
      const std::optional<Thing> thing = open(name + suffix(encoding));
      if (!thing && (result_.kind == Kind::would_block || result_.kind == Kind::failed)) {
        result_.forms.clear();
        return std::move(result_);
      }
      result_.kind = Kind::file;
      // An older sibling was made of an older file.
      if (thing != Thing::file || opened_.status.modified_seconds < own.modified_seconds) continue;
      result_.forms.push_back({coding, opened_.status, std::move(opened_), {}, false});
    }
    result_.path = std::move(name);
    if (is_known()) {
      result_.unchanged = true;
      result_.forms.clear();
      return std::move(result_);
    }
    for (StoredForm& form : result_.forms) {
      if (form.status.size <= rules_.content_size_max && !read(form)) {
        result_.forms.clear();
        break;
      }
    }
    return std::move(result_);
  }

  bool is_known() const {
    if (known_ == nullptr || known_->path != result_.path ||
        known_->forms.size() != result_.forms.size()) {
      return false;
    }
    for (size_t i = 0; i < result_.forms.size(); ++i) {
      const StoredForm& form = result_.forms[i];
      if (known_->forms[i] != std::pair(form.coding, form.status)) return false;
    }
    return true;
  }

  // False: the result's kind says why. A file that became shorter meanwhile is left to be sent from
  // its descriptor, which notices (F09).
  bool read(StoredForm& form) {
    if (form.status.size == 0) {
      form.in_memory = true;
      form.file = {};
      return true;
    }
    const size_t size = static_cast<size_t>(form.status.size);
    base::Block* block = base::Block::create(size);
    base::Slice content = base::Slice::adopt(block, size);
    size_t got = 0;
    while (got < size) {
      const auto part =
          io::read_at(form.file.file, got, block->data() + got, size - got, warm_only_);
      if (!part) {
        const bool again = warm_only_ && part.error().code == EAGAIN;
        result_.kind = again ? Kind::would_block : Kind::failed;
        result_.error = part.error().code;
        return false;
      }
      if (*part == 0) return true;
      got += *part;
    }
    form.content = std::move(content);
    form.in_memory = true;
    form.file = {};
    return true;
  }

  static const char* suffix(Encoding encoding) {
    switch (encoding) {
      case Encoding::kZstd:
        return ".zst";
      case Encoding::kBrotli:
        return ".br";
      case Encoding::kGzip:
        break;
    }
    return ".gz";
  }

  const io::Directory& root_;
  const LookupRules& rules_;
  const bool warm_only_;
  const KnownFile* known_;
  FoundFile result_;
  io::OpenFile opened_;
};

}  // namespace

http::Coding coding_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::kZstd:
      return http::Coding::kZstd;
    case Encoding::kBrotli:
      return http::Coding::kBrotli;
    case Encoding::kGzip:
      break;
  }
  return http::Coding::kGzip;
}

FoundFile look_up(const io::Directory& root, const LookupRules& rules, std::string_view path,
                  bool warm_only, const KnownFile* known) {
  return Search(root, rules, warm_only, known).run(path);
}

}  // namespace handlers
