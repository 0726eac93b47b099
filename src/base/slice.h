// Counted blocks of bytes and views into them.
//
// A `Block` is memory with a plain (not atomic) reference count, so a block belongs to one thread
// at a time: the worker that made it, or whoever it was handed to whole by a message. A `Slice` is
// a view that keeps its block alive; without a block it views memory that outlives it (text of the
// configuration in force, string literals). Bodies travel as slices: taken from a file cache or a
// socket once and released when sent or encrypted (over QUIC: when acknowledged).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace base {

class BlockPool;

class Block {
 public:
  // Memory of its own, freed with the last reference.
  static Block* create(size_t capacity);

  char* data() { return reinterpret_cast<char*>(this + 1); }
  size_t capacity() const { return capacity_; }
  void retain() { ++references_; }
  void release() {
    if (--references_ == 0) destroy();
  }
  bool shared() const { return references_ > 1; }

 private:
  friend class BlockPool;
  Block(size_t capacity, BlockPool* pool)
      : pool_(pool), capacity_(static_cast<uint32_t>(capacity)) {}
  void destroy();

  BlockPool* pool_;
  uint32_t references_ = 1;
  uint32_t capacity_;
};

// Blocks of one size kept for reuse by one thread, at most `kept_max` of them.
class BlockPool {
 public:
  explicit BlockPool(size_t block_size = 16 * 1024, size_t kept_max = 256)
      : block_size_(block_size), kept_max_(kept_max) {}
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // A block of block_size() bytes with one reference, which is the caller's.
  Block* take();
  size_t block_size() const { return block_size_; }

 private:
  friend class Block;
  void put(Block* block);

  size_t block_size_;
  size_t kept_max_;
  Block* kept_ = nullptr;  // linked through pool_, which a kept block does not need
  size_t kept_count_ = 0;
};

class Slice {
 public:
  Slice() = default;
  // Adds a reference of its own to `block`.
  Slice(Block* block, const char* data, size_t size) : data_(data), size_(size), block_(block) {
    if (block_ != nullptr) block_->retain();
  }
  Slice(const Slice& other) : Slice(other.block_, other.data_, other.size_) {}
  Slice(Slice&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        block_(std::exchange(other.block_, nullptr)) {}
  Slice& operator=(Slice other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~Slice() {
    if (block_ != nullptr) block_->release();
  }

  static Slice copy_of(std::string_view bytes);
  // Views memory that outlives every copy of the slice.
  static Slice unowned(std::string_view bytes) { return {nullptr, bytes.data(), bytes.size()}; }
  // Takes over the caller's reference to `block`.
  static Slice adopt(Block* block, size_t size);

  std::string_view view() const { return {data_, size_}; }
  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void remove_prefix(size_t count) { data_ += count, size_ -= count; }
  void remove_suffix(size_t count) { size_ -= count; }
  // Bytes of its block behind its end have been filled and are to be part of it.
  void extend(size_t count) { size_ += count; }

 private:
  const char* data_ = nullptr;
  size_t size_ = 0;
  Block* block_ = nullptr;
};

}  // namespace base
