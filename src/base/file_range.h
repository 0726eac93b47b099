// A part of an open file as the body of a message.
//
// The descriptor is counted, so that a response that is under way keeps its file though the cache
// has already dropped it. Who opens the file (io/file) says how it is closed; nothing here makes a
// system call. Like a `Block`, a `CountedFile` belongs to one thread.
#pragma once

#include <cstdint>
#include <utility>

namespace base {

struct CountedFile {
  int descriptor = -1;
  uint32_t references = 1;
  void (*destroy)(CountedFile*) = nullptr;  // closes the descriptor and frees the object
};

class FileReference {
 public:
  FileReference() = default;
  // Takes over one reference.
  explicit FileReference(CountedFile* file) : file_(file) {}
  FileReference(const FileReference& other) : file_(other.file_) {
    if (file_ != nullptr) ++file_->references;
  }
  FileReference(FileReference&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
  FileReference& operator=(FileReference other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FileReference() {
    if (file_ != nullptr && --file_->references == 0) file_->destroy(file_);
  }

  int descriptor() const { return file_->descriptor; }
  explicit operator bool() const { return file_ != nullptr; }

 private:
  CountedFile* file_ = nullptr;
};

struct FileRange {
  FileReference file;
  uint64_t offset = 0;
  uint64_t length = 0;
};

}  // namespace base
