#include "base/slice.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace base {

Block* Block::create(size_t capacity) {
  void* memory = ::operator new(sizeof(Block) + capacity);
  return new (memory) Block(capacity, nullptr);
}

void Block::destroy() {
  if (pool_ != nullptr) {
    pool_->put(this);
  } else {
    this->~Block();
    ::operator delete(this);
  }
}

BlockPool::~BlockPool() {
  while (kept_ != nullptr) {
    Block* next = reinterpret_cast<Block*>(kept_->pool_);
    ::operator delete(std::exchange(kept_, next));
  }
}

Block* BlockPool::take() {
  if (kept_ == nullptr) {
    void* memory = ::operator new(sizeof(Block) + block_size_);
    return new (memory) Block(block_size_, this);
  }
  Block* block = std::exchange(kept_, reinterpret_cast<Block*>(kept_->pool_));
  --kept_count_;
  return new (block) Block(block_size_, this);
}

void BlockPool::put(Block* block) {
  if (kept_count_ == kept_max_) {
    ::operator delete(block);
    return;
  }
  block->pool_ = reinterpret_cast<BlockPool*>(kept_);
  kept_ = block;
  ++kept_count_;
}

Slice Slice::copy_of(std::string_view bytes) {
  if (bytes.empty()) return {};
  Block* block = Block::create(bytes.size());
  std::memcpy(block->data(), bytes.data(), bytes.size());
  return adopt(block, bytes.size());
}

Slice Slice::adopt(Block* block, size_t size) {
  Slice slice;
  slice.data_ = block->data();
  slice.size_ = size;
  slice.block_ = block;
  return slice;
}

}  // namespace base
