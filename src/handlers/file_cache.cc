#include "handlers/file_cache.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace handlers {

FileCache::FileCache(const FileCacheOptions& options, base::HashKey key)
    : key_(key), size_max_(static_cast<size_t>(options.size)) {
  const size_t files = options.files;
  rings_[index(CachedFile::Class::memory)].entries_max = files;
  rings_[index(CachedFile::Class::descriptor)].entries_max = std::min(files, kDescriptorsMax);
  rings_[index(CachedFile::Class::nothing)].entries_max =
      files == 0 ? 0 : std::max(files / 4, kNegativeMin);
  size_t entries_max = 0;
  for (const Ring& ring : rings_) entries_max += ring.entries_max;
  table_.resize(std::bit_ceil(std::max<size_t>(entries_max * 2, 16)));
  mask_ = table_.size() - 1;
}

void FileCache::insert(std::shared_ptr<CachedFile> file) {
  Ring& ring = rings_[index(file->ring)];
  if (ring.entries_max == 0) return;
  if (CachedFile* old = find(file->key)) erase(*old);
  if (file->cost > size_max_) return;
  if (file->ring == CachedFile::Class::nothing && file->key.size() > kNegativeKeyMax) return;
  while (ring.entries.size() >= ring.entries_max) evict_from(ring);
  Ring& memory = rings_[index(CachedFile::Class::memory)];
  while (size_ + file->cost > size_max_ && !memory.entries.empty()) evict_from(memory);
  file->hash = base::siphash(key_, file->key);
  size_t at = file->hash & mask_;
  while (table_[at] != nullptr) at = (at + 1) & mask_;
  table_[at] = file.get();
  size_ += file->cost;
  file->slot = ring.entries.size();
  ring.entries.push_back(std::move(file));
}

std::shared_ptr<CachedFile> FileCache::share(const CachedFile& file) const {
  return rings_[index(file.ring)].entries[file.slot];
}

void FileCache::erase(CachedFile& file) { remove_at(rings_[index(file.ring)], file.slot); }

void FileCache::clear() {
  for (Ring& ring : rings_) {
    ring.entries.clear();
    ring.hand = 0;
  }
  std::ranges::fill(table_, nullptr);
  size_ = 0;
}

void FileCache::evict_from(Ring& ring) {
  for (;;) {
    if (ring.hand >= ring.entries.size()) ring.hand = 0;
    CachedFile& file = *ring.entries[ring.hand];
    if (!std::exchange(file.used, false)) return remove_at(ring, ring.hand);
    ++ring.hand;
  }
}

void FileCache::remove_at(Ring& ring, size_t at) {
  const std::shared_ptr<CachedFile> file = std::move(ring.entries[at]);
  remove_from_table(*file);
  size_ -= file->cost;
  if (at + 1 != ring.entries.size()) {
    ring.entries[at] = std::move(ring.entries.back());
    ring.entries[at]->slot = at;
  }
  ring.entries.pop_back();
}

// Closes the gap, so that no mark of what was deleted is needed.
void FileCache::remove_from_table(const CachedFile& file) {
  size_t gap = file.hash & mask_;
  while (table_[gap] != &file) {
    assert(table_[gap] != nullptr);
    gap = (gap + 1) & mask_;
  }
  for (size_t at = (gap + 1) & mask_; table_[at] != nullptr; at = (at + 1) & mask_) {
    const size_t home = table_[at]->hash & mask_;
    // Whether `home` lies cyclically in (gap, at]: then the entry stays.
    if (((at - home) & mask_) < ((at - gap) & mask_)) continue;
    table_[gap] = table_[at];
    gap = at;
  }
  table_[gap] = nullptr;
}

}  // namespace handlers
