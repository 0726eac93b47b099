// Reading the next part of a file that is not in memory, by a helper, for one stream.
//
// The helper reads into a block that is handed to the stream's worker with the answer, so nothing
// waits for a disk in the loop whatever the file system does; what the kernel reads ahead meanwhile
// makes the parts behind it warm. When the helpers' queue is full it asks again shortly. Lives on
// the stream's worker; the stream forgets it by forget() when it is closed.
#pragma once

#include <cstddef>
#include <memory>

#include "base/file_range.h"
#include "io/helper_pool.h"
#include "io/timer.h"

namespace io {

class Stream;

class ColdRead : public std::enable_shared_from_this<ColdRead> {
 public:
  // As much as a disk gives at little more than the cost of a seek, and as one stream may hold.
  static constexpr size_t kSize = 256 * 1024;
  static constexpr Duration kRetry = std::chrono::milliseconds(10);

  static std::shared_ptr<ColdRead> begin(Stream& stream, HelperPool& helpers,
                                         const base::FileRange& range);
  ColdRead(Stream& stream, HelperPool& helpers, const base::FileRange& range);
  void forget();

 private:
  struct Result;
  void submit();

  Stream* stream_;
  Loop& loop_;
  HelperPool& helpers_;
  base::FileRange range_;
  Timer retry_;
};

}  // namespace io
