// Byte ranges (RFC 9110 14): from a Range field and a representation's size to what to send.
//
// Never more than was asked and never twice: overlapping and adjacent ranges are made one, the rest
// keeps the order of the request. What could be used to make the server work (CVE-2011-3192) is
// answered with the whole representation, which RFC 9110 14.2 allows: too many ranges, or a
// multipart body longer than the whole.
// Whether the field counts at all (GET only, If-Range) is decided before, in http/conditions.h.
// Pure functions, any thread. (F06)
// Invariant: ranges are disjoint and lie inside the representation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace http {

struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
  std::uint64_t size() const { return last - first + 1; }
  bool operator==(const ByteRange&) const = default;
};

class Ranges {
 public:
  static constexpr std::size_t kSpecsMax = 64;   // in one field, before they are merged
  static constexpr std::size_t kRangesMax = 16;  // after it: as many parts has a body at most
  // A multipart body up to this size is sent though it be longer than the representation: it costs
  // nobody anything, and asking a small file for two ranges isn't an attack.
  static constexpr std::uint64_t kSmallBodySize = 4096;

  enum class Outcome : std::uint8_t {
    kWhole,          // 200: no range, another unit, bad syntax, or not worth it
    kPartial,        // 206
    kUnsatisfiable,  // 416 with `Content-Range: bytes */size`
  };

  // `content_type` counts for the size of a multipart body.
  static Ranges parse(std::string_view field, std::uint64_t size, std::string_view content_type);

  Outcome outcome() const { return outcome_; }
  std::span<const ByteRange> ranges() const { return {ranges_.data(), count_}; }
  bool multipart() const { return count_ > 1; }

 private:
  bool add(ByteRange range);

  Outcome outcome_ = Outcome::kWhole;
  std::uint8_t count_ = 0;
  std::array<ByteRange, kRangesMax> ranges_;
};

// `bytes 0-99/1000`
void append_content_range(std::string& out, ByteRange range, std::uint64_t size);
// `bytes */1000`
void append_unsatisfied_range(std::string& out, std::uint64_t size);

// The pieces of a multipart/byteranges body (RFC 9110 14.6): a head before each range, one tail.
// A boundary is Random::id(): kBoundarySize bytes.
inline constexpr std::size_t kBoundarySize = 32;
void append_part_head(std::string& out, std::string_view boundary, std::string_view content_type,
                      ByteRange range, std::uint64_t size);
void append_multipart_tail(std::string& out, std::string_view boundary);
// The exact size of the whole body.
std::uint64_t multipart_size(std::span<const ByteRange> ranges, std::uint64_t size,
                             std::string_view content_type);

}  // namespace http
