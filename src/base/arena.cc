#include "base/arena.h"

#include <cstring>
#include <new>

namespace base {

namespace {
constexpr size_t kAlignment = alignof(void*);
}

char* Arena::allocate(size_t size) {
  size_t needed = (size + kAlignment - 1) & ~(kAlignment - 1);
  if (needed < size) return nullptr;
  if (static_cast<size_t>(end_ - at_) < needed && !add_block(needed)) return nullptr;
  char* memory = at_;
  at_ += needed;
  used_ += needed;
  return memory;
}

bool Arena::add_block(size_t size) {
  if (size > size_max_ - used_) return false;
  size_t whole = size + sizeof(Link);
  Block* block = whole <= pool_->block_size() ? pool_->take() : Block::create(whole);
  Link* link = new (block->data()) Link{blocks_, block};
  blocks_ = link;
  at_ = block->data() + sizeof(Link);
  end_ = block->data() + block->capacity();
  return true;
}

std::string_view Arena::copy(std::string_view bytes) {
  char* memory = bytes.empty() ? nullptr : allocate(bytes.size());
  if (memory == nullptr) return {};
  std::memcpy(memory, bytes.data(), bytes.size());
  return {memory, bytes.size()};
}

std::string_view Arena::join(std::string_view a, std::string_view b, std::string_view c) {
  size_t size = a.size() + b.size() + c.size();
  char* memory = size == 0 ? nullptr : allocate(size);
  if (memory == nullptr) return {};
  char* at = memory;
  for (std::string_view part : {a, b, c}) {
    if (!part.empty()) std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  return {memory, size};
}

void Arena::clear() {
  while (blocks_ != nullptr) {
    Link link = *blocks_;
    blocks_ = link.next;
    link.block->release();
  }
  at_ = end_ = nullptr;
  used_ = 0;
}

}  // namespace base
