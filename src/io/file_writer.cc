#include "io/file_writer.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace io {

namespace {

using Steady = std::chrono::steady_clock;

std::expected<int, Error> open_target(const std::string& target) {
  int descriptor = -1;
  if (target == "stdout" || target == "stderr") {
    // Their mode stays as it is: others share them, and would be surprised by O_NONBLOCK.
    descriptor = ::fcntl(target == "stdout" ? STDOUT_FILENO : STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  } else {
    // O_NONBLOCK for a FIFO: without a reader it is an error (ENXIO) rather than a wait.
    constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    descriptor = ::open(target.c_str(), kFlags, 0640);
  }
  if (descriptor < 0) {
    return std::unexpected(Error{Error::Kind::system, errno, "cannot write " + target});
  }
  return descriptor;
}

bool is_regular(int descriptor) {
  struct stat found{};
  return ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
}

// False when the time is over.
bool wait_writable(int descriptor, Steady::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Steady::now());
    pollfd wanted{descriptor, POLLOUT, 0};
    const int result =
        ::poll(&wanted, 1, static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT_MAX)));
    if (result > 0) return true;
    if (result == 0 || errno != EINTR) return false;
  }
}

}  // namespace

std::expected<FileWriter, Error> FileWriter::open(std::string target) {
  const auto descriptor = open_target(target);
  if (!descriptor) return std::unexpected(descriptor.error());
  return FileWriter(std::move(target), *descriptor, !is_regular(*descriptor));
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : target_(std::move(other.target_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      may_block_(other.may_block_) {}

FileWriter& FileWriter::operator=(FileWriter&& other) noexcept {
  std::swap(target_, other.target_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(may_block_, other.may_block_);
  return *this;
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::expected<size_t, Error> FileWriter::write(std::string_view bytes,
                                               std::chrono::milliseconds patience) {
  const Steady::time_point deadline = Steady::now() + patience;
  size_t written = 0;
  while (written < bytes.size()) {
    if (may_block_ && !wait_writable(descriptor_, deadline)) break;
    // A pipe that is writable has room for PIPE_BUF bytes: that much never blocks, and stays whole.
    const size_t step =
        may_block_ ? std::min<size_t>(bytes.size() - written, PIPE_BUF) : bytes.size() - written;
    const ssize_t count = ::write(descriptor_, bytes.data() + written, step);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno == EAGAIN) {
      // A terminal or a socket with less room than poll promised.
      if (Steady::now() >= deadline) break;
    } else if (errno != EINTR) {
      if (written > 0) break;
      return std::unexpected(Error{Error::Kind::system, errno, "cannot write " + target_});
    }
  }
  return written;
}

std::expected<void, Error> FileWriter::reopen() {
  const auto descriptor = open_target(target_);
  if (!descriptor) return std::unexpected(descriptor.error());
  ::close(std::exchange(descriptor_, *descriptor));
  may_block_ = !is_regular(descriptor_);
  return {};
}

}  // namespace io
