#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "io/owner_walk.h"

namespace io {

namespace {

// O_NONBLOCK: a FIFO or a device is opened without waiting, seen for what it is, and closed.
constexpr int kOpenFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

int open_at(int directory, const char* path, int flags, uint64_t resolve) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = resolve;
  long result = 0;
  do {  // EAGAIN: a rename went on at the same time, which the kernel can't rule out an escape by
    result = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
  } while (result < 0 && (errno == EINTR || (errno == EAGAIN && (resolve & RESOLVE_CACHED) == 0)));
  return static_cast<int>(result);
}

FileStatus from_stat(const struct stat& from) {
  FileStatus status;
  status.size = static_cast<uint64_t>(from.st_size);
  status.modified_seconds = from.st_mtim.tv_sec;
  status.modified_nanoseconds = from.st_mtim.tv_nsec;
  status.changed_seconds = from.st_ctim.tv_sec;
  status.changed_nanoseconds = from.st_ctim.tv_nsec;
  status.inode = from.st_ino;
  status.device = from.st_dev;
  status.mode = from.st_mode & 07777;
  status.directory = S_ISDIR(from.st_mode);
  status.regular = S_ISREG(from.st_mode);
  return status;
}

// Of a descriptor, which is closed.
std::expected<FileStatus, Error> status_and_close(int descriptor) {
  if (descriptor < 0) return failed(errno);
  struct stat found{};
  const int result = ::fstat(descriptor, &found);
  const int error = errno;
  ::close(descriptor);
  if (result != 0) return failed(error);
  return from_stat(found);
}

// Those that keep a directory's times as POSIX has them. Others may (or may not: what is behind
// FUSE or a network can be anything).
bool keeps_times(int descriptor) {
  constexpr uint32_t kZfs = 0x2fc12fc1;  // not in linux/magic.h
  struct statfs system{};
  if (::fstatfs(descriptor, &system) != 0) return false;
  switch (static_cast<uint32_t>(system.f_type)) {
    case EXT4_SUPER_MAGIC:  // and ext2, ext3
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
    case kZfs:
      return true;
    default:
      return false;
  }
}

void close_counted(base::CountedFile* file) {
  ::close(file->descriptor);
  delete file;
}

base::FileReference count_file(int descriptor) {
  return base::FileReference(new base::CountedFile{descriptor, 1, close_counted});
}

// A path that the kernel can take: relative, without NUL, and without `..`, which RESOLVE_BENEATH
// would allow inside the root, but which no canonical path holds.
bool acceptable(std::string_view path) {
  if (path.size() >= PATH_MAX || path.find('\0') != std::string_view::npos) return false;
  if (path.starts_with('/')) return false;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return false;
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return true;
}

// Paths of requests are short: no allocation for them.
class TerminatedPath {
 public:
  explicit TerminatedPath(std::string_view path) {
    if (path.empty()) path = ".";
    path.copy(text_, path.size());
    text_[path.size()] = '\0';
  }
  const char* text() const { return text_; }

 private:
  char text_[PATH_MAX];
};

}  // namespace

std::expected<Directory, Error> Directory::open(const std::string& path, Symlinks symlinks) {
  const int descriptor = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return failed(errno);
  Directory result(descriptor, symlinks);
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) return failed(errno);
  result.identity_ = from_stat(found);
  result.status_tells_names_ = keeps_times(descriptor);
  return result;
}

std::expected<FileStatus, Error> Directory::status_at(const std::string& path, bool warm_only) {
  return status_and_close(open_at(AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC,
                                  warm_only ? RESOLVE_CACHED : 0));
}

Directory::Directory(Directory&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      symlinks_(other.symlinks_),
      status_tells_names_(other.status_tells_names_),
      identity_(other.identity_) {}

Directory& Directory::operator=(Directory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(symlinks_, other.symlinks_);
  std::swap(status_tells_names_, other.status_tells_names_);
  std::swap(identity_, other.identity_);
  return *this;
}

Directory::~Directory() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Directory::open_path(std::string_view path, int flags, bool warm_only) const {
  if (!acceptable(path)) {
    errno = ENOENT;
    return -1;
  }
  const TerminatedPath terminated(path);
  const uint64_t cached = warm_only ? RESOLVE_CACHED : 0;
  switch (symlinks_) {
    case Symlinks::inside:
      return open_at(descriptor_, terminated.text(), flags,
                     RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | cached);
    case Symlinks::follow:
      return open_at(descriptor_, terminated.text(), flags, RESOLVE_NO_MAGICLINKS | cached);
    case Symlinks::owner:
      break;
  }
  const int descriptor = open_at(descriptor_, terminated.text(), flags,
                                 RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | cached);
  if (descriptor >= 0 || errno != ELOOP) return descriptor;
  if (warm_only) {  // the walk may block
    errno = EAGAIN;
    return -1;
  }
  return open_by_owner(descriptor_, terminated.text(), flags);
}

std::expected<OpenFile, Error> Directory::open(std::string_view path, bool warm_only) const {
  const int descriptor = open_path(path, kOpenFlags, warm_only);
  if (descriptor < 0) return failed(errno);
  struct stat found{};
  if (::fstat(descriptor, &found) != 0) {
    const int error = errno;
    ::close(descriptor);
    return failed(error);
  }
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    ::close(descriptor);
    return failed(ENOENT);
  }
  return OpenFile{count_file(descriptor), from_stat(found)};
}

std::expected<FileStatus, Error> Directory::status(std::string_view path, bool warm_only) const {
  return status_and_close(open_path(path, O_PATH | O_CLOEXEC, warm_only));
}

std::expected<bool, Error> Directory::absent(std::string_view path, bool warm_only) const {
  if (!acceptable(path)) return failed(EINVAL);
  uint64_t resolve = warm_only ? RESOLVE_NO_MAGICLINKS | RESOLVE_CACHED : RESOLVE_NO_MAGICLINKS;
  if (symlinks_ != Symlinks::follow) resolve |= RESOLVE_BENEATH;
  if (symlinks_ == Symlinks::owner) resolve |= RESOLVE_NO_SYMLINKS;  // on the way: ELOOP
  const int descriptor =
      open_at(descriptor_, TerminatedPath(path).text(), O_PATH | O_NOFOLLOW | O_CLOEXEC, resolve);
  if (descriptor < 0) {
    if (errno == ENOENT) return true;
    return failed(errno);
  }
  ::close(descriptor);
  return false;
}

std::expected<std::vector<DirectoryEntry>, Error> Directory::list(std::string_view path,
                                                                  size_t count_max) const {
  const int descriptor = open_path(path, kOpenFlags | O_DIRECTORY, false);
  if (descriptor < 0) return failed(errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::fdopendir(descriptor), ::closedir);
  if (opened == nullptr) {
    const int error = errno;
    ::close(descriptor);
    return failed(error);
  }
  std::vector<DirectoryEntry> entries;
  while (entries.size() < count_max) {
    const dirent* entry = ::readdir(opened.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat found{};
    if (::fstatat(descriptor, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    FileStatus status = from_stat(found);
    if (S_ISLNK(found.st_mode)) {
      // What it leads to, by the rules of this directory; left out where that can't be opened.
      std::string whole(path);
      if (!whole.empty() && !whole.ends_with('/')) whole += '/';
      const auto target = this->status(whole + name);
      if (!target) continue;
      status = *target;
    }
    entries.push_back({std::move(name), status});
  }
  return entries;
}

std::expected<size_t, Error> read_at(const base::FileReference& file, uint64_t offset, char* into,
                                     size_t size, bool warm_only) {
  iovec piece{into, size};
  const int descriptor = file.descriptor();
  for (int flags = warm_only ? RWF_NOWAIT : 0;;) {
    const ssize_t count = ::preadv2(descriptor, &piece, 1, static_cast<off_t>(offset), flags);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno == EINTR) continue;
    if (errno != EOPNOTSUPP || flags == 0) return failed(errno);
    // A file system that can't tell. One in memory needn't; of the others nothing is known.
    struct statfs system{};
    if (::fstatfs(descriptor, &system) != 0) return failed(errno);
    if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC) return failed(EAGAIN);
    flags = 0;
  }
}

std::expected<std::string, Error> read_file(const std::string& path, size_t size_max) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return failed(errno);
  const base::FileReference file = count_file(descriptor);
  std::string content;
  for (;;) {  // to its end, whatever its status says: files under /proc have no size
    constexpr size_t kStep = 64 * 1024;
    const size_t before = content.size();
    if (before > size_max) return failed(EFBIG);
    content.resize(before + kStep);
    const ssize_t count = ::read(descriptor, content.data() + before, kStep);
    if (count < 0 && errno != EINTR) return failed(errno);
    content.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
  }
  if (content.size() > size_max) return failed(EFBIG);
  return content;
}

bool FileStatus::settled(std::chrono::nanoseconds seen) const {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  // A tick of the slowest kernel clock is 10 ms; FAT steps by two seconds.
  const nanoseconds step =
      changed_nanoseconds == 0 ? nanoseconds(seconds(3)) : std::chrono::milliseconds(50);
  return seconds(changed_seconds) + nanoseconds(changed_nanoseconds) + step < seen;
}

std::expected<FileStatus, Error> file_status(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return failed(errno);
  return from_stat(found);
}

}  // namespace io
