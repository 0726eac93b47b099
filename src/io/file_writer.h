// Appends lines to a log file, to standard output or to standard error. For the log's own thread.
//
// Blocks at most for a bounded time, whatever stands behind: a full disk is an error, and a pipe
// that nobody reads takes what it can and is given up for that call. Workers never call it; they
// hand their lines to the log's thread. reopen() goes on in a new file after a rotation.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "io/error.h"

namespace io {

class FileWriter {
 public:
  // A path, or `stdout` or `stderr`. Files are made with mode 0640.
  static std::expected<FileWriter, Error> open(std::string target);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) noexcept;
  ~FileWriter();

  // How many of the bytes were written before `patience` was over; an error when none could be and
  // waiting would not help (disk full, pipe closed).
  std::expected<size_t, Error> write(std::string_view bytes, std::chrono::milliseconds patience);
  // On failure the old file stays in use.
  std::expected<void, Error> reopen();
  const std::string& target() const { return target_; }

 private:
  FileWriter(std::string target, int descriptor, bool may_block)
      : target_(std::move(target)), descriptor_(descriptor), may_block_(may_block) {}

  std::string target_;
  int descriptor_ = -1;
  bool may_block_ = false;  // a pipe, a terminal, a socket
};

}  // namespace io
