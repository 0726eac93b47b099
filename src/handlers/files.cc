#include "handlers/files.h"

#include <algorithm>
#include <utility>

#include "handlers/field_list.h"
#include "handlers/hidden.h"
#include "handlers/listing.h"
#include "handlers/refuse.h"
#include "http/accept.h"
#include "http/path.h"

namespace handlers {

using http::FieldName;

// What a helper works on. Owns or shares all it touches, for the handler may be gone by then.
struct Files::Job {
  std::shared_ptr<const io::Directory> root;
  std::shared_ptr<const LookupRules> rules;
  std::string path;  // decoded
  std::shared_ptr<const KnownFile> known;
  bool check_root = false;
  std::string root_path;
  io::Symlinks symlinks{};
  io::Time begun{};
  bool root_is_new = false;  // `root` is what the path of the root leads to now
  FoundFile found;

  void run() {
    if (check_root) reopen_root();
    if (known != nullptr && known->folder_tells && same_again()) {
      found.kind = FoundFile::Kind::file;
      found.unchanged = true;
      found.known = known;
      return;
    }
    found = look_up(*root, *rules, path, false, known.get());
  }

  bool same_again() const {
    const auto folder = root->status(known->folder);
    return folder && look_again(*root, false, *known, *folder) == Again::same;
  }

  void reopen_root() {
    const auto now = io::Directory::status_at(root_path, false);
    if (!now || now->same_file(root->identity())) return;  // gone for a moment: as it was
    auto opened = io::Directory::open(root_path, symlinks);
    if (!opened) return;
    root = std::make_shared<const io::Directory>(std::move(*opened));
    root_is_new = true;
    known = nullptr;
  }
};

// A lookup under way and who waits for it.
struct Files::Pending {
  Files* owner = nullptr;  // nullptr: the handler is gone
  std::string key;
  Entry stale;
  Waiting* first = nullptr;  // doubly linked: a waiting exchange may be cancelled at any time
};

class Files::Waiting {
 public:
  explicit Waiting(Pending* pending) : pending_(pending) {}
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { unlink(); }

  bool await_ready() const { return pending_ == nullptr; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    next_ = pending_->first;
    if (next_ != nullptr) next_->previous_ = this;
    pending_->first = this;
  }
  // nullptr: not looked up, too much is waiting already.
  Entry await_resume() { return std::move(result_); }

  void resume(const Entry& result) {
    unlink();
    result_ = result;
    waiter_.resume();
  }
  void unlink() {
    if (pending_ == nullptr || !waiter_) return;
    if (next_ != nullptr) next_->previous_ = previous_;
    (previous_ != nullptr ? previous_->next_ : pending_->first) = next_;
    pending_ = nullptr;
  }

 private:
  Pending* pending_;
  std::coroutine_handle<> waiter_;
  Waiting* next_ = nullptr;
  Waiting* previous_ = nullptr;
  Entry result_;
};

namespace {

io::Symlinks symlinks_of(Symlinks symlinks) {
  switch (symlinks) {
    case Symlinks::kInside:
      return io::Symlinks::inside;
    case Symlinks::kOwner:
      return io::Symlinks::owner;
    case Symlinks::kFollow:
      break;
  }
  return io::Symlinks::follow;
}

LookupRules rules_of(const FilesOptions& options) {
  LookupRules rules;
  rules.index = options.index;
  rules.clean_urls = options.clean_urls;
  rules.precompressed = options.precompressed;
  rules.content_size_max =
      options.cache.files == 0 ? 0 : std::min(options.cache.file_size, options.cache.size);
  return rules;
}

// The last segment of the path asked for is replaced: relative, so that neither Host nor a prefix
// that a filter took off matters, and never `//elsewhere` (F04).
void redirect(http::Exchange& exchange, std::string_view segment, std::string_view tail) {
  const http::Request& request = exchange.request();
  std::string location = "./";  // so that no colon in the name makes a scheme of it
  http::append_target_path(location, segment);
  location += tail;
  if (request.has_query) (location += '?') += request.query;
  exchange.response().fields.set(FieldName::location, exchange.arena().copy(location));
  exchange.respond(301);
}

std::string_view last_segment(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::expected<std::unique_ptr<Files>, std::string> Files::create(const FilesOptions& options,
                                                                 const Services& services) {
  auto root = io::Directory::open(options.root, symlinks_of(options.symlinks));
  if (!root) {
    return std::unexpected("the directory " + options.root +
                           " can't be opened: " + root.error().text());
  }
  return std::unique_ptr<Files>(new Files(options, services, std::move(*root)));
}

Files::Files(const FilesOptions& options, const Services& services, io::Directory root)
    : options_(options),
      services_(services),
      fallback_(options.fallback.empty() || options.fallback.front() == '/'
                    ? options.fallback
                    : "/" + options.fallback),
      answer_(services),
      rules_(std::make_shared<const LookupRules>(rules_of(options))),
      root_(std::make_shared<const io::Directory>(std::move(root))),
      root_checked_(services.loop.now()),
      sights_(0, base::StringHash{services.hash_key}),
      cache_(options.cache, services.hash_key),
      pending_(0, base::StringHash{services.hash_key}) {}

Files::~Files() {
  for (auto& [key, pending] : pending_) {
    pending->owner = nullptr;
    while (pending->first != nullptr) pending->first->unlink();
  }
}

http::Outcome Files::handle(http::Exchange& exchange) {
  const http::Method method = exchange.request().method;
  if (method != http::Method::get && method != http::Method::head) {
    refuse_method(exchange);
    return {};
  }
  return serve(exchange, Asked::request);
}

http::Outcome Files::serve(http::Exchange& exchange, Asked asked) {
  CachedFile* file = cache_.find(path_of(exchange, asked));
  if (file != nullptr && fresh(*file)) return answer(exchange, *file, asked);
  return serve_missed(exchange, asked, file);
}

http::Outcome Files::serve_missed(http::Exchange& exchange, Asked asked, CachedFile* stale) {
  const std::string_view path = path_of(exchange, asked);
  if (path_scratch_.size() < path.size()) path_scratch_.resize(path.size());
  const auto decoded = http::file_path(path, path_scratch_.data());
  if (!decoded) return answer_missing(exchange, asked);  // no file's name holds a slash
  if (asked == Asked::request && !options_.serve_hidden && is_hidden_path(*decoded)) {
    exchange.respond(404);  // a fallback would make it look as if there were something (F05)
    return {};
  }
  // Whoever asks for what is being looked up joins.
  if (!pending_.empty() && pending_.contains(path)) return serve_later(exchange, asked);
  if (!check_root()) return serve_later(exchange, asked);
  const KnownFile* known = stale == nullptr ? nullptr : stale->known.get();
  if (known != nullptr && known->folder_tells) {
    const Again again = look_again_in_loop(*stale);
    if (again == Again::same) return answer(exchange, *stale, asked);
    if (again == Again::would_block) return serve_later(exchange, asked);
  }
  ++lookups_in_loop_;
  FoundFile found = look_up(*root_, *rules_, *decoded, true, known);
  if (found.kind == FoundFile::Kind::would_block) return serve_later(exchange, asked);
  const Entry entry = store(path, stale == nullptr ? nullptr : cache_.share(*stale),
                            std::move(found), known_since(services_.loop.now()));
  return answer(exchange, *entry, asked);
}

Again Files::look_again_in_loop(CachedFile& stale) {
  const Sight* folder = look_at_folder(stale.known->folder);
  if (folder == nullptr) return Again::would_block;
  const io::Time seen = folder->seen;
  const Again again = look_again(*root_, true, *stale.known, folder->status);
  if (again == Again::same) stale.checked = known_since(seen);
  return again;
}

// nullptr: not without waiting, or not there any more.
const Files::Sight* Files::look_at_folder(const std::string& folder) {
  const io::Time now = services_.loop.now();
  auto found = sights_.find(folder);
  if (found != sights_.end() && now - found->second.seen < options_.cache.fresh) {
    return &found->second;
  }
  const auto status = root_->status(folder, true);
  if (!status) return nullptr;
  if (found == sights_.end()) {
    if (sights_.size() >= kSightsMax) sights_.clear();
    found = sights_.emplace(folder, Sight{}).first;
  }
  found->second = {*status, now};
  return &found->second;
}

base::Task<> Files::serve_later(http::Exchange& exchange, Asked asked) {
  const Entry entry = co_await Waiting(look_up_off_loop(path_of(exchange, asked)));
  if (entry == nullptr) {
    exchange.error_detail = "too many lookups of files are waiting";
    refuse_overload(exchange);
    co_return;
  }
  http::Outcome outcome = answer(exchange, *entry, asked);
  if (!outcome.done()) co_await outcome.take();
}

http::Outcome Files::answer(http::Exchange& exchange, const CachedFile& file, Asked asked) {
  switch (file.kind) {
    case FoundFile::Kind::file:
      return answer_.answer(exchange, file);
    case FoundFile::Kind::directory:
      if (options_.browse && asked == Asked::request) return list(exchange);
      return answer_missing(exchange, asked);
    case FoundFile::Kind::add_slash:
      if (asked == Asked::fallback) break;
      redirect(exchange, last_segment(exchange.request().path), "/");
      return {};
    case FoundFile::Kind::drop_suffix: {
      if (asked == Asked::fallback) break;
      const std::string_view name = last_segment(exchange.request().path);
      const bool index = !options_.index.empty() && name == options_.index.front();
      redirect(exchange, index ? std::string_view() : name.substr(0, name.size() - 5), {});
      return {};
    }
    case FoundFile::Kind::missing:
      return answer_missing(exchange, asked);
    case FoundFile::Kind::forbidden:
      exchange.respond(403);
      return {};
    case FoundFile::Kind::would_block:
    case FoundFile::Kind::failed:
      exchange.error_detail = "the file can't be opened or read";
      exchange.respond(500);
      return {};
  }
  exchange.respond(404);
  return {};
}

http::Outcome Files::answer_missing(http::Exchange& exchange, Asked asked) {
  if (asked == Asked::request && !fallback_.empty()) {
    exchange.response().fields.set(FieldName::vary, "Accept, Sec-Fetch-Dest");
    if (wants_fallback(exchange)) return serve(exchange, Asked::fallback);
  }
  exchange.respond(404);
  return {};
}

// A page of the application is asked for by documents; a script or a picture that isn't there is a
// 404, not a page that fails to parse.
bool Files::wants_fallback(http::Exchange& exchange) const {
  if (!http::accepts_type(joined_value(exchange, FieldName::accept), "text/html")) return false;
  const http::Field* destination = exchange.request().fields.find("Sec-Fetch-Dest");
  if (destination == nullptr) return true;
  const std::string_view value = destination->value;
  return value == "document" || value == "empty" || value == "iframe" || value == "frame";
}

base::Task<> Files::list(http::Exchange& exchange) {
  std::string scratch(exchange.request().path.size(), '\0');
  const auto decoded = http::file_path(exchange.request().path, scratch.data());
  std::string name(decoded ? decoded->substr(1) : std::string_view());
  if (!name.empty()) name.pop_back();  // the slash that a directory's path ends with
  co_await send_listing(exchange, services_, root_, std::move(name), options_.serve_hidden);
}

io::Duration Files::root_fresh() const {
  // Not at each request even where files are always looked at again: where only a helper can look
  // (the root is gone), every request would go to one.
  constexpr io::Duration kRootFreshMin = std::chrono::milliseconds(100);
  return std::max<io::Duration>(options_.cache.fresh, kRootFreshMin);
}

bool Files::root_is_due() const { return services_.loop.now() - root_checked_ >= root_fresh(); }

io::Time Files::known_since(io::Time begun) const {
  return std::min(begun, root_checked_ + (root_fresh() - options_.cache.fresh));
}

bool Files::check_root() {
  if (!root_is_due()) return true;
  const auto status = io::Directory::status_at(options_.root, true);
  if (!status || !status->same_file(root_->identity())) return false;
  root_checked_ = services_.loop.now();
  if (sights_.size() < kSightsMax) sights_[""] = {*status, root_checked_};
  return true;
}

Files::Pending* Files::look_up_off_loop(std::string_view path) {
  if (const auto found = pending_.find(path); found != pending_.end()) return found->second.get();
  auto job = std::make_unique<Job>();
  job->path.resize(path.size());
  const auto decoded = http::file_path(path, job->path.data());
  if (!decoded) return nullptr;
  job->path = std::string(*decoded);
  job->root = root_;
  job->rules = rules_;
  job->begun = services_.loop.now();
  job->check_root = root_is_due();
  job->root_path = options_.root;
  job->symlinks = symlinks_of(options_.symlinks);

  auto pending = std::make_shared<Pending>();
  pending->owner = this;
  pending->key = std::string(path);
  if (CachedFile* stale = cache_.find(path)) {
    pending->stale = cache_.share(*stale);
    job->known = stale->known;
  }
  Job* work = job.get();
  const bool queued = services_.helpers.submit(
      services_.loop, [work] { work->run(); },
      [pending, job = std::move(job)]() mutable {
        if (pending->owner != nullptr) pending->owner->on_looked_up(*pending, std::move(job));
      });
  if (!queued) return nullptr;
  ++lookups_off_loop_;
  return pending_.emplace(path, std::move(pending)).first->second.get();
}

void Files::on_looked_up(Pending& pending, std::unique_ptr<Job> job) {
  pending_.erase(pending.key);
  if (job->check_root) on_root_checked(*job);
  // Another job may have found another root meanwhile: then this one's answer is not kept.
  const bool current = job->root->identity().same_file(root_->identity());
  const Entry entry =
      current ? store(pending.key, job->root_is_new ? nullptr : std::move(pending.stale),
                      std::move(job->found), known_since(job->begun))
      : job->found.unchanged ? std::move(pending.stale)
                             : make_entry(pending.key, std::move(job->found), job->begun);
  // Whoever is resumed may cancel another, or the handler may go with the last of them.
  while (pending.first != nullptr) pending.first->resume(entry);
}

// Several may be under way: the one that began last knows.
void Files::on_root_checked(Job& job) {
  if (job.begun < root_checked_) return;
  root_checked_ = job.begun;
  if (!job.root_is_new || job.root->identity().same_file(root_->identity())) return;
  root_ = job.root;
  cache_.clear();
  sights_.clear();
}

// Makes an entry of what was found, and keeps it where that may be kept.
Files::Entry Files::store(std::string_view path, Entry stale, FoundFile found, io::Time checked) {
  if (found.unchanged && stale != nullptr) {
    stale->checked = checked;
    stale->known = std::move(found.known);
    if (cache_.find(path) != stale.get()) cache_.insert(stale);
    return stale;
  }
  const bool keep = found.kind != FoundFile::Kind::failed;
  Entry entry = make_entry(path, std::move(found), checked);
  if (keep) cache_.insert(entry);
  return entry;
}

Files::Entry Files::make_entry(std::string_view path, FoundFile found, io::Time checked) const {
  auto entry = std::make_shared<CachedFile>();
  entry->key = std::string(path);
  entry->kind = found.kind;
  entry->checked = checked;
  if (found.kind == FoundFile::Kind::file) {
    const std::string_view rule = cache_control_of("/" + found.path);
    answer_.prepare(*entry, std::move(found), rule);
  }
  return entry;
}

std::string_view Files::cache_control_of(std::string_view path) const {
  for (const CacheControlRule& rule : options_.cache_control) {
    if (rule.glob.matches(path)) return rule.value;
  }
  return {};
}

}  // namespace handlers
