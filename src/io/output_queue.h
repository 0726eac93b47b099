// What a stream has yet to send, in order: copied bytes, slices, parts of files.
//
// Small writes are gathered in a tail block from the loop's pool, so that a head and a short body
// are one run of bytes. Pieces come from a free list of the loop: queueing allocates nothing once
// warm, and an empty queue holds neither blocks nor pieces (an idle connection costs its object).
// Not bounded here: the stream tells its user to stop (kHighMark).
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/file_range.h"
#include "base/slice.h"

namespace io {

class OutputPool;

class OutputQueue {
 public:
  struct Piece {
    Piece* next = nullptr;
    base::Slice bytes;
    base::FileRange file;   // this, where it has a file
    uint64_t warm_end = 0;  // the file is in memory up to here, as far as was probed
    bool is_file() const { return static_cast<bool>(file.file); }
  };

  explicit OutputQueue(OutputPool& pool) : pool_(pool) {}
  ~OutputQueue() { clear(); }
  OutputQueue(const OutputQueue&) = delete;
  OutputQueue& operator=(const OutputQueue&) = delete;

  bool empty() const { return first_ == nullptr; }
  Piece& front() { return *first_; }
  bool has_files() const { return files_ > 0; }

  // Copies.
  void append(std::string_view bytes);
  void push(base::Slice bytes);
  void push(base::FileRange range);
  // has_files(): the one that comes first.
  Piece& first_file();
  // `bytes` were read of `piece`, a file, and take the place of its first part.
  void replace_file(Piece& piece, base::Slice bytes);
  // Room for at least `size` bytes behind the last ones; commit() makes them part of the queue.
  char* prepare(size_t size);
  void commit(size_t size);
  // What still fits behind the last bytes without a new block.
  size_t room() const { return tail_ == nullptr ? 0 : tail_->capacity() - tail_used_; }

  // Fills at most `max` entries with the bytes up to the first file. Returns how many.
  int gather(iovec* into, int max) const;
  // Takes off `count` bytes, which must not reach into a file.
  void consume(size_t count);
  // Takes off `count` bytes of the file in front.
  void consume_file(uint64_t count);
  void clear();

 private:
  void link(Piece* piece);
  void pop();
  void new_tail(size_t size);
  void release_tail();

  OutputPool& pool_;
  Piece* first_ = nullptr;
  Piece* last_ = nullptr;
  base::Block* tail_ = nullptr;  // where small writes go; a reference of its own
  uint32_t tail_used_ = 0;
  uint32_t files_ = 0;
};

// Pieces kept for reuse, and the blocks that small writes go to. One per loop.
class OutputPool {
 public:
  explicit OutputPool(base::BlockPool& blocks) : blocks_(blocks) {}
  ~OutputPool();
  OutputPool(const OutputPool&) = delete;
  OutputPool& operator=(const OutputPool&) = delete;

  OutputQueue::Piece* take();
  // `piece` must have let go of what it held.
  void put(OutputQueue::Piece* piece);
  base::BlockPool& blocks() { return blocks_; }

 private:
  static constexpr size_t kKeptMax = 1024;  // 64 KiB: bursts beyond are rare and go to the heap

  base::BlockPool& blocks_;
  OutputQueue::Piece* kept_ = nullptr;
  size_t kept_count_ = 0;
};

}  // namespace io
