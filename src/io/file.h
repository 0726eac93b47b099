// Files beneath a root, opened so that no spelling and no link leads out of it.
//
// Every open is openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS relative to the root's
// descriptor (attack F01, F04): the kernel checks, so there is no race. `..` is refused altogether;
// absolute links count as leading out, even where they don't. FIFOs, devices and sockets are
// refused without blocking.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_range.h"
#include "io/error.h"

namespace io {

enum class Symlinks : unsigned char { inside, owner, follow };

struct FileStatus {
  uint64_t size = 0;
  int64_t modified_seconds = 0;
  int64_t modified_nanoseconds = 0;
  // The inode's own last change (ctime), which nobody can set.
  int64_t changed_seconds = 0;
  int64_t changed_nanoseconds = 0;
  uint64_t inode = 0;
  uint64_t device = 0;
  uint32_t mode = 0;  // permission bits (07777)
  bool directory = false;
  bool regular = false;
  bool operator==(const FileStatus&) const = default;

  bool same_file(const FileStatus& other) const {
    return inode == other.inode && device == other.device;
  }
  // Whether any change after `seen` (unix time) would show in another status. One within the same
  // step of the file system's clock as the last change might not: a few milliseconds, or up to two
  // seconds where it keeps no fractions of them.
  bool settled(std::chrono::nanoseconds seen) const;
};

struct OpenFile {
  base::FileReference file;
  FileStatus status;
};

struct DirectoryEntry {
  std::string name;
  FileStatus status;
};

class Directory {
 public:
  static std::expected<Directory, Error> open(const std::string& path, Symlinks symlinks);
  // What is at `path` now, which any link may lead to; `warm_only` as below.
  static std::expected<FileStatus, Error> status_at(const std::string& path, bool warm_only);
  Directory(Directory&& other) noexcept;
  Directory& operator=(Directory&& other) noexcept;
  ~Directory();

  // `path` is relative, without a leading slash; "" is the root itself. Directories open too (their
  // status says so). May block on a slow disk, unless `warm_only`: then EAGAIN where the kernel
  // doesn't have every name of the path in memory (RESOLVE_CACHED), so that a worker may ask first
  // and leave to a helper what must wait.
  std::expected<OpenFile, Error> open(std::string_view path, bool warm_only = false) const;
  std::expected<FileStatus, Error> status(std::string_view path, bool warm_only = false) const;
  // Whether nothing has that name: not even a link that leads nowhere.
  std::expected<bool, Error> absent(std::string_view path, bool warm_only) const;
  // Whether a directory's status tells when a name in it was made, removed or replaced: known of
  // some file systems. Of directories on other devices than this one nothing is said.
  bool status_tells_names() const { return status_tells_names_; }
  // What the root itself was when it was opened: device and inode stay.
  const FileStatus& identity() const { return identity_; }
  // At most `count_max` entries, unsorted, without "." and "..".
  std::expected<std::vector<DirectoryEntry>, Error> list(std::string_view path,
                                                         size_t count_max) const;

 private:
  Directory(int descriptor, Symlinks symlinks) : descriptor_(descriptor), symlinks_(symlinks) {}
  int open_path(std::string_view path, int flags, bool warm_only) const;

  int descriptor_ = -1;
  Symlinks symlinks_ = Symlinks::inside;
  bool status_tells_names_ = false;
  FileStatus identity_;
};

// Reads at most `size` bytes at `offset`. `warm_only`: only what is in memory (RWF_NOWAIT): EAGAIN
// otherwise. Zero at the end of the file.
std::expected<size_t, Error> read_at(const base::FileReference& file, uint64_t offset, char* into,
                                     size_t size, bool warm_only);
// The whole file, up to `size_max`: for start-up and control, not for the path of a request.
std::expected<std::string, Error> read_file(const std::string& path, size_t size_max = 64 << 20);
std::expected<FileStatus, Error> file_status(const std::string& path);

}  // namespace io
