// Streaming encoders of content codings: gzip, Brotli, Zstandard.
//
// An Encoder turns the bytes of one body into a coding. Contexts are costly to make and large, so
// an EncoderPool keeps some of each for reuse and bounds how many there are (a flood of slow
// clients holds no more memory than that). The pool belongs to one worker and lives as long as the
// last encoder that it gave out. Levels are moderate: a response is made while somebody waits. RFC
// 1952, RFC 7932, RFC 8878; RFC 9659 bounds the window of zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/accept.h"

namespace handlers {

class Encoder {
 public:
  enum class Flush : uint8_t {
    none,
    sync,  // everything so far can be decoded
    end,
  };
  virtual ~Encoder() = default;
  virtual http::Coding coding() const = 0;
  // Makes it new. `size`: of the whole body where that is known, else 0.
  virtual bool begin(uint64_t size) = 0;
  // Appends to `out`; false when the library failed, which only lack of memory makes it.
  virtual bool encode(std::string_view bytes, Flush flush, std::string& out) = 0;
};

class EncoderPool : public std::enable_shared_from_this<EncoderPool> {
 public:
  // At work at once, each with 0.3 to 1 MiB.
  static constexpr size_t kEncodersMax = 256;
  // Of each coding, kept for reuse.
  static constexpr size_t kKeptMax = 8;

  struct Return {
    std::shared_ptr<EncoderPool> pool;
    void operator()(Encoder* encoder) const;
  };
  using Pointer = std::unique_ptr<Encoder, Return>;

  // nullptr: too many are at work, or there is no memory. The body then goes out as it is.
  Pointer take(http::Coding coding, uint64_t size);
  size_t at_work() const { return at_work_; }

 private:
  std::vector<std::unique_ptr<Encoder>> kept_[http::kCodings];
  size_t at_work_ = 0;
};

}  // namespace handlers
