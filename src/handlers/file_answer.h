// A file as a response: negotiation, preconditions, ranges, and the way of the bytes.
//
// The plain answer from memory goes out as it was prepared, without a system call or allocation.
// The rest is made per request: fields are copied to the exchange's arena, for the cache may drop
// the file before the log is written. RFC 9110 12.5.3, 13, 14.
#pragma once

#include "handlers/file_cache.h"
#include "handlers/services.h"
#include "http/handler.h"

namespace handlers {

class FileAnswer {
 public:
  // Bytes of a file that one response reads ahead where they pass a transform.
  static constexpr size_t kChunkSize = 32 * 1024;

  explicit FileAnswer(const Services& services) : services_(services) {}

  // Builds what is kept of a file: fills `file` from what was found. `cache_control` outlives it.
  void prepare(CachedFile& file, FoundFile found, std::string_view cache_control) const;

  // `file.kind` is file; the method is GET or HEAD.
  http::Outcome answer(http::Exchange& exchange, const CachedFile& file) const;

 private:
  struct Source;  // bytes in memory or in a descriptor

  static bool is_conditional(const http::Fields& fields);
  const ReadyForm& choose(http::Exchange& exchange, const CachedFile& file) const;
  http::Outcome answer_specially(http::Exchange& exchange, const CachedFile& file,
                                 const ReadyForm& form) const;
  http::Outcome answer_ranges(http::Exchange& exchange, const CachedFile& file,
                              const ReadyForm& form, std::string_view field) const;
  http::Outcome send(http::Exchange& exchange, Source source) const;
  base::Task<> stream(http::Exchange& exchange, Source source) const;
  base::Task<> send_parts(http::Exchange& exchange, Source whole, std::string content_type) const;
  base::Task<bool> write(http::Exchange& exchange, Source source) const;

  const Services& services_;
};

}  // namespace handlers
