// Files beneath a directory, as the answer to GET and HEAD.
//
// A hit in the cache is answered within the call; a miss, or an entry that is no longer fresh, is
// looked up in the loop as long as the kernel has everything in memory, and otherwise on a helper
// thread: a cold disk never stops the worker. What isn't fresh is never answered with: the first
// exchange that asks looks again, and those that come meanwhile share its answer. What has not
// changed is proved by its status, its folder's and the root's (which may be another directory now,
// when a deployment swaps a link), each looked at once in the time that files are fresh for.
// Belongs to one worker. RFC 9110 9.3.1, 9.3.2, 15.5.6.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "base/hash.h"
#include "handlers/file_answer.h"
#include "handlers/file_cache.h"
#include "handlers/options.h"
#include "handlers/services.h"
#include "http/handler.h"

namespace handlers {

class Files final : public http::Handler {
 public:
  // Opens the root; the error is a sentence. `options` outlives the handler.
  static std::expected<std::unique_ptr<Files>, std::string> create(const FilesOptions& options,
                                                                   const Services& services);
  ~Files() override;

  http::Outcome handle(http::Exchange& exchange) override;

  const FileCache& cache() const { return cache_; }
  // Lookups that went to a helper, and those made in the loop (of a miss, and of what had changed
  // or was not proved to be the same): for tests.
  uint64_t lookups_off_loop() const { return lookups_off_loop_; }
  uint64_t lookups_in_loop() const { return lookups_in_loop_; }

 private:
  struct Job;
  struct Pending;
  class Waiting;
  using Entry = std::shared_ptr<CachedFile>;
  struct Sight {
    io::FileStatus status;
    io::Time seen{};
  };
  // Folders whose status is remembered; beyond, it is looked at again for each of their files.
  static constexpr size_t kSightsMax = 256;
  // Whose path is asked for: the request's, or that of what is served where nothing is.
  enum class Asked : uint8_t { request, fallback };

  Files(const FilesOptions& options, const Services& services, io::Directory root);

  bool fresh(const CachedFile& file) const {
    return services_.loop.now() - file.checked < options_.cache.fresh;
  }
  std::string_view path_of(const http::Exchange& exchange, Asked asked) const {
    return asked == Asked::request ? exchange.request().path : std::string_view(fallback_);
  }
  http::Outcome serve(http::Exchange& exchange, Asked asked);
  http::Outcome serve_missed(http::Exchange& exchange, Asked asked, CachedFile* stale);
  Again look_again_in_loop(CachedFile& stale);
  const Sight* look_at_folder(const std::string& folder);
  base::Task<> serve_later(http::Exchange& exchange, Asked asked);
  http::Outcome answer(http::Exchange& exchange, const CachedFile& file, Asked asked);
  http::Outcome answer_missing(http::Exchange& exchange, Asked asked);
  base::Task<> list(http::Exchange& exchange);
  bool wants_fallback(http::Exchange& exchange) const;

  io::Duration root_fresh() const;
  bool root_is_due() const;
  // Looks, where that is due and can't block. False: a helper has to.
  bool check_root();
  // As of when what is found now is known, if it was begun at `begun`.
  io::Time known_since(io::Time begun) const;
  // Begins a lookup on a helper, or finds the one under way. nullptr: the queue is full.
  Pending* look_up_off_loop(std::string_view path);
  void on_looked_up(Pending& pending, std::unique_ptr<Job> job);
  void on_root_checked(Job& job);
  Entry store(std::string_view path, Entry stale, FoundFile found, io::Time checked);
  Entry make_entry(std::string_view path, FoundFile found, io::Time checked) const;
  std::string_view cache_control_of(std::string_view path) const;

  const FilesOptions& options_;
  const Services& services_;
  const std::string fallback_;
  const FileAnswer answer_;
  const std::shared_ptr<const LookupRules> rules_;
  std::shared_ptr<const io::Directory> root_;
  io::Time root_checked_{};
  base::StringMap<Sight> sights_;  // by folder, as they were last seen
  FileCache cache_;
  base::StringMap<std::shared_ptr<Pending>> pending_;
  std::string path_scratch_;
  uint64_t lookups_off_loop_ = 0;
  uint64_t lookups_in_loop_ = 0;
};

}  // namespace handlers
