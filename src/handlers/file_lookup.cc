#include "handlers/file_lookup.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <expected>
#include <optional>
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

const char* suffix_of(http::Coding coding) {
  switch (coding) {
    case http::Coding::kZstd:
      return ".zst";
    case http::Coding::kBrotli:
      return ".br";
    default:
      return ".gz";
  }
}

// One lookup: opens names one after another until something answers.
class Search {
 public:
  Search(const io::Directory& root, const LookupRules& rules, bool warm_only,
         const KnownFile* known)
      : root_(root),
        rules_(rules),
        warm_only_(warm_only),
        known_(known),
        begun_(std::chrono::system_clock::now().time_since_epoch()) {}

  FoundFile run(std::string_view path) {
    const bool slash = path.ends_with('/');
    std::string name(path.substr(1));
    if (slash && !name.empty()) name.pop_back();
    if (known_ != nullptr) begin_proof(slash ? std::string_view(name) : folder_of(name));
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
      if (proof_ != nullptr) {
        if (opened.error().code == ENOENT) {
          absent_.push_back(name);
        } else {
          proof_->folder_tells = false;  // what is there may change without its folder
        }
      }
      return std::nullopt;
    }
    opened_ = std::move(*opened);
    if (opened_.status.directory) return Thing::directory;
    return opened_.status.regular ? Thing::file : Thing::other;
  }

  static std::string_view folder_of(std::string_view name) {
    const size_t slash = name.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
  }

  // Before anything is opened: what is made from now on must show in the folder's status.
  void begin_proof(std::string_view folder) {
    proof_ = std::make_shared<KnownFile>();
    proof_->folder = std::string(folder);
    if (!root_.status_tells_names()) return;
    const auto status = root_.status(folder, warm_only_);
    if (!status || status->device != root_.identity().device || !status->settled(begun_)) return;
    proof_->folder_status = *status;
    proof_->folder_tells = true;
  }

  // A name counts as absent where not even a link of that name is there: one that leads nowhere may
  // lead somewhere tomorrow, and its folder would not tell.
  void end_proof() {
    KnownFile& proof = *proof_;
    for (const std::string& name : absent_) {
      if (!proof.folder_tells) return;
      proof.folder_tells =
          folder_of(name) == proof.folder && root_.absent(name, warm_only_).value_or(false);
    }
  }

  bool hopeless() const { return result_.kind != Kind::missing; }

  FoundFile in_directory(std::string directory) {
    for (const std::string& index : rules_.index) {
      std::string name = directory.empty() ? index : directory + "/" + index;
      const std::optional<Thing> thing = open(name);
      if (thing == Thing::file) return file(std::move(name));
      if (thing) passed_over();
      if (!thing && hopeless()) return std::move(result_);
    }
    if (open(directory) == Thing::directory) result_.kind = Kind::directory;
    return std::move(result_);
  }

  FoundFile named(std::string name) {
    if (rules_.clean_urls && name.ends_with(".html") && clean(name)) return std::move(result_);
    const std::optional<Thing> thing = open(name);
    if (thing == Thing::file) return file(std::move(name));
    if (thing) passed_over();
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
    if (thing) passed_over();
    if (thing && *thing != Thing::directory) return false;
    if (hopeless()) return true;
    result_.kind = Kind::drop_suffix;
    return true;
  }

  // Something is there that is not what answers, and may become it without its folder's telling.
  void passed_over() {
    if (proof_ != nullptr) proof_->folder_tells = false;
  }

  void add_form(http::Coding coding, KnownFile& known) {
    known.forms.push_back({coding, opened_.status, opened_.status.settled(begun_)});
    result_.forms.push_back({coding, opened_.status, std::move(opened_), {}, false});
  }

  // opened_ is the file `name`.
  FoundFile file(std::string name) {
    if (proof_ == nullptr) proof_ = std::make_shared<KnownFile>();
    KnownFile& known = *proof_;
    result_.kind = Kind::file;
    const io::FileStatus own = opened_.status;
    if (folder_of(name) != known.folder) known.folder_tells = false;
    add_form(http::Coding::kIdentity, known);
    for (Encoding encoding : rules_.precompressed) {
      const std::optional<Thing> thing = open(name + suffix_of(coding_of(encoding)));
      if (!thing && (result_.kind == Kind::would_block || result_.kind == Kind::failed)) {
        result_.forms.clear();
        return std::move(result_);
      }
      result_.kind = Kind::file;
      // An older sibling was made of an older file.
      if (thing == Thing::file && opened_.status.modified_seconds >= own.modified_seconds) {
        add_form(coding_of(encoding), known);
      } else if (thing) {
        passed_over();
      }
    }
    end_proof();
    known.path = name;
    result_.path = std::move(name);
    result_.known = proof_;
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
    return known_ != nullptr && known_->path == result_.path &&
           std::ranges::equal(known_->forms, proof_->forms,
                              [](const KnownFile::Form& before, const KnownFile::Form& now) {
                                return before.settled && before.coding == now.coding &&
                                       before.status == now.status;
                              });
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

  const io::Directory& root_;
  const LookupRules& rules_;
  const bool warm_only_;
  const KnownFile* known_;
  const std::chrono::nanoseconds begun_;  // unix time
  std::shared_ptr<KnownFile> proof_;      // of what is found now
  std::vector<std::string> absent_;       // while there is a proof to be made
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

Again look_again(const io::Directory& root, bool warm_only, const KnownFile& known,
                 const io::FileStatus& folder) {
  if (folder != known.folder_status) return Again::changed;
  std::string name;
  for (const KnownFile::Form& form : known.forms) {
    if (!form.settled) return Again::changed;
    name = known.path;
    if (form.coding != http::Coding::kIdentity) name += suffix_of(form.coding);
    const auto status = root.status(name, warm_only);
    if (!status && warm_only && status.error().code == EAGAIN) return Again::would_block;
    if (!status || *status != form.status) return Again::changed;
  }
  return Again::same;
}

}  // namespace handlers
