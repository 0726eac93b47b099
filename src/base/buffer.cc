#include "base/buffer.h"

#include <algorithm>

namespace base {

void Buffer::grow(size_t size) {
  size_t used = end_ - begin_;
  if (capacity_ - used >= size && begin_ >= used) {  // room enough once moved to the front
    std::memmove(data_.get(), data_.get() + begin_, used);
  } else {
    size_t capacity = std::max<size_t>({256, capacity_ * 2, used + size});
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (used > 0) std::memcpy(larger.get(), data_.get() + begin_, used);
    data_ = std::move(larger);
    capacity_ = capacity;
  }
  begin_ = 0;
  end_ = used;
}

}  // namespace base
