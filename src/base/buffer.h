// A growing run of bytes that is filled at its end and taken from its front.
//
// For what has no natural owner yet: bytes not yet understood, output not yet sent, text being
// made. Contiguous, so a parser sees one view. Releases its memory when told to (an idle connection
// holds none). No limit of its own: whoever fills it bounds it.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace base {

class Buffer {
 public:
  std::string_view view() const { return {data_.get() + begin_, end_ - begin_}; }
  size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }

  void append(std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(reserve(bytes.size()), bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  void append(char byte) {
    *reserve(1) = byte;
    ++end_;
  }
  // At least `size` writable bytes behind the end; commit() makes what was written part of the
  // view.
  char* reserve(size_t size) {
    if (capacity_ - end_ < size) grow(size);
    return data_.get() + end_;
  }
  size_t writable() const { return capacity_ - end_; }
  void commit(size_t size) { end_ += size; }
  void consume(size_t size) {
    begin_ += size;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  void clear() { begin_ = end_ = 0; }
  void release() {
    data_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  void grow(size_t size);

  std::unique_ptr<char[]> data_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t capacity_ = 0;
};

}  // namespace base
