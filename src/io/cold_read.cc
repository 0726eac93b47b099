#include "io/cold_read.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/slice.h"
#include "io/stream.h"

namespace io {

// What the helper works on: nothing of the worker's but this.
struct ColdRead::Result {
  int descriptor = -1;  // of its own: the stream may be closed meanwhile
  uint64_t offset = 0;
  base::Block* block = nullptr;
  size_t size = 0;
  int error = 0;

  ~Result() {
    if (block != nullptr) block->release();
    if (descriptor >= 0) ::close(descriptor);
  }
  void read() {
    while (size < block->capacity()) {
      const ssize_t count = ::pread(descriptor, block->data() + size, block->capacity() - size,
                                    static_cast<off_t>(offset + size));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) error = errno;
      if (count <= 0) return;
      size += static_cast<size_t>(count);
    }
  }
};

std::shared_ptr<ColdRead> ColdRead::begin(Stream& stream, HelperPool& helpers,
                                          const base::FileRange& range) {
  auto cold = std::make_shared<ColdRead>(stream, helpers, range);
  cold->submit();
  return cold;
}

ColdRead::ColdRead(Stream& stream, HelperPool& helpers, const base::FileRange& range)
    : stream_(&stream),
      loop_(stream.loop()),
      helpers_(helpers),
      range_(range),
      retry_(loop_, [](void* self) { static_cast<ColdRead*>(self)->submit(); }, this) {}

void ColdRead::submit() {
  auto result = std::make_shared<Result>();
  result->descriptor = ::fcntl(range_.file.descriptor(), F_DUPFD_CLOEXEC, 0);
  result->offset = range_.offset;
  result->block = base::Block::create(std::min<uint64_t>(range_.length, kSize));
  const bool submitted =
      result->descriptor >= 0 &&
      helpers_.submit(
          loop_, [result] { result->read(); },
          [result, self = weak_from_this()] {
            const std::shared_ptr<ColdRead> cold = self.lock();
            if (cold == nullptr || cold->stream_ == nullptr) return;
            base::Block* block = std::exchange(result->block, nullptr);
            cold->stream_->take_cold(base::Slice::adopt(block, result->size), result->error);
          });
  if (!submitted) retry_.set_after(kRetry);
}

void ColdRead::forget() {
  stream_ = nullptr;
  retry_.cancel();
}

}  // namespace io
