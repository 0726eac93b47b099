// Files beneath a directory, as the answer to GET and HEAD.
//
// A hit in the cache is answered within the call; a miss, or an entry that is no longer fresh, is
// looked up in the loop as long as the kernel has everything in memory, and otherwise on a helper
// thread: a cold disk never stops the worker. Exchanges that wait for the same path share one
// lookup. The root is opened again once it is another directory (a deployment that swaps a link),
// as seldom as files are checked.
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
  // Lookups that went to a helper: for tests.
  uint64_t lookups_off_loop() const { return lookups_off_loop_; }

 private:
  struct Job;
  struct Pending;
  class Waiting;
  using Entry = std::shared_ptr<CachedFile>;
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
  base::Task<> serve_later(http::Exchange& exchange, Asked asked);
  http::Outcome answer(http::Exchange& exchange, const CachedFile& file, Asked asked);
  http::Outcome answer_missing(http::Exchange& exchange, Asked asked);
  base::Task<> list(http::Exchange& exchange);
  bool wants_fallback(http::Exchange& exchange) const;

  bool root_check_due() const;
  // Begins a lookup on a helper, or finds the one under way. nullptr: the queue is full.
  Pending* look_up_off_loop(std::string_view path);
  void on_looked_up(Pending& pending, std::unique_ptr<Job> job);
  Entry store(std::string_view path, Entry stale, FoundFile found, io::Time checked);
  std::string_view cache_control_of(std::string_view path) const;

  const FilesOptions& options_;
  const Services& services_;
  const std::string fallback_;
  const FileAnswer answer_;
  const std::shared_ptr<const LookupRules> rules_;
  std::shared_ptr<const io::Directory> root_;
  io::Time root_checked_{};
  bool root_check_running_ = false;
  FileCache cache_;
  base::StringMap<std::shared_ptr<Pending>> pending_;
  std::string path_scratch_;
  uint64_t lookups_off_loop_ = 0;
};

}  // namespace handlers
