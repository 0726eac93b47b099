// Memory for the values of one exchange, given back all at once.
//
// Bump allocation from blocks; nothing is freed alone and no destructor runs, so only bytes and
// trivially destructible objects live here. `size_max` bounds what one exchange may hold (attacks
// S28, G05): past it `allocate` returns nullptr and the exchange answers 431 or 500.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/slice.h"

namespace base {

class Arena {
 public:
  static constexpr size_t kSizeMax = 512 * 1024;

  explicit Arena(BlockPool& pool, size_t size_max = kSizeMax) : pool_(&pool), size_max_(size_max) {}
  ~Arena() { clear(); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Bytes aligned for a pointer, or nullptr when the arena is full.
  char* allocate(size_t size);
  // A copy that lives as long as the arena; empty when the arena is full.
  std::string_view copy(std::string_view bytes);
  // The two parts joined.
  std::string_view join(std::string_view a, std::string_view b, std::string_view c = {});
  void clear();
  size_t size() const { return used_; }

 private:
  struct Link {
    Link* next;
    Block* block;
  };
  bool add_block(size_t size);

  BlockPool* pool_;
  Link* blocks_ = nullptr;
  char* at_ = nullptr;
  char* end_ = nullptr;
  size_t used_ = 0;
  size_t size_max_;
};

}  // namespace base
