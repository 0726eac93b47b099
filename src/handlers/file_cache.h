// What a file handler remembers: answers by canonical path, for one worker.
//
// Small files are kept whole with their heads prepared, so that a hit costs no system call and no
// allocation; of larger ones the descriptor stays open; that something is missing or elsewhere is
// remembered too. Each kind has its own ring with a maximum (a flood of paths that don't exist
// evicts no file), swept as a clock: what was used since the hand passed stays. Whether an entry is
// still fresh is the handler's question. Keys are hashed with a secret (D06).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "handlers/file_lookup.h"
#include "http/prepared.h"
#include "io/loop.h"

namespace handlers {

// One form of a file, ready to be answered with.
struct ReadyForm {
  http::Coding coding = http::Coding::kIdentity;
  bool in_memory = false;
  uint64_t size = 0;
  // The head of the plain 200 answer. Its fields view `prepared.text` and what outlives the cache.
  http::PreparedResponse prepared;
  base::FileReference file;  // where it isn't in memory
  std::string_view etag;     // both view prepared.text
  std::string_view last_modified;
};

struct CachedFile {
  // How it is kept: which ring.
  enum class Class : uint8_t { memory, descriptor, nothing };
  static constexpr size_t kClasses = 3;

  std::string key;  // the canonical path of the request
  uint64_t hash = 0;
  FoundFile::Kind kind = FoundFile::Kind::missing;
  Class ring = Class::nothing;
  bool used = false;
  bool vary = false;  // by Accept-Encoding
  io::Time checked{};
  std::shared_ptr<const KnownFile> known;  // where it was found, to look again
  std::string_view content_type;
  std::string_view cache_control;
  int64_t last_modified = 0;  // seconds, never in the future
  std::vector<ReadyForm> forms;
  size_t cost = 0;  // bytes, of what is in memory
  size_t slot = 0;  // in its ring; the cache's
};

class FileCache {
 public:
  // Descriptors that one handler of one worker keeps open: a share of RLIMIT_NOFILE that leaves
  // room for connections (O01).
  static constexpr size_t kDescriptorsMax = 256;
  // Of `files`, how many may say that there is nothing: a quarter, and these at least.
  static constexpr size_t kNegativeMin = 64;
  // And how long their keys may be: longer ones are looked up each time.
  static constexpr size_t kNegativeKeyMax = 512;

  FileCache(const FileCacheOptions& options, base::HashKey key);

  bool enabled() const { return memory_max() > 0; }
  CachedFile* find(std::string_view path) {
    const uint64_t hash = base::siphash(key_, path);
    for (size_t at = hash & mask_; table_[at] != nullptr; at = (at + 1) & mask_) {
      CachedFile& file = *table_[at];
      if (file.hash == hash && file.key == path) {
        if (!file.used) file.used = true;
        return &file;
      }
    }
    return nullptr;
  }
  // Takes the place of what has the same key.
  void insert(std::shared_ptr<CachedFile> file);
  void erase(CachedFile& file);
  // A counted pointer to an entry that find() gave.
  std::shared_ptr<CachedFile> share(const CachedFile& file) const;
  void clear();

  size_t count(CachedFile::Class ring) const { return rings_[index(ring)].entries.size(); }
  size_t size() const { return size_; }

 private:
  struct Ring {
    std::vector<std::shared_ptr<CachedFile>> entries;
    size_t hand = 0;
    size_t entries_max = 0;
  };
  static size_t index(CachedFile::Class ring) { return static_cast<size_t>(ring); }
  size_t memory_max() const { return rings_[0].entries_max; }
  void evict_from(Ring& ring);
  void remove_from_table(const CachedFile& file);
  void remove_at(Ring& ring, size_t at);

  base::HashKey key_;
  size_t size_max_;
  size_t size_ = 0;
  std::array<Ring, CachedFile::kClasses> rings_;
  std::vector<CachedFile*> table_;  // open addressing, at most half full
  size_t mask_ = 0;
};

}  // namespace handlers
