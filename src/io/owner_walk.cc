#include "io/owner_walk.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace io {

namespace {

// As the kernel's own limit (MAXSYMLINKS): links that lead in a circle end here.
constexpr int kLinksMax = 40;
// Names of a path and of the links in it: what PATH_MAX allows for each would be far more.
constexpr size_t kDepthMax = 256;

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }

 private:
  int value_;
};

class OwnerWalk {
 public:
  OwnerWalk(int root, std::string_view path) : root_(root) { put_in_front(path, std::nullopt); }

  // A descriptor (O_PATH) of what the path leads to; -1 with errno.
  Descriptor run() {
    Descriptor last(::openat(root_, ".", O_PATH | O_CLOEXEC));
    while (last.get() >= 0 && !steps_.empty()) {
      Step step = std::move(steps_.front());
      steps_.pop_front();
      if (step.owner) {
        if (!owned_by(last.get(), *step.owner)) return fail(EACCES);
      } else if (!take(last, step.name)) {
        return Descriptor(-1);
      }
    }
    return last;
  }

 private:
  // A name to go on by; or, where the names of a link end, whom its target must belong to.
  struct Step {
    std::string name;
    std::optional<uid_t> owner;
  };

  static Descriptor fail(int error) {
    errno = error;
    return Descriptor(-1);
  }
  static bool owned_by(int descriptor, uid_t owner) {
    struct stat found{};
    return ::fstat(descriptor, &found) == 0 && found.st_uid == owner;
  }

  void put_in_front(std::string_view path, std::optional<uid_t> owner) {
    std::deque<Step> steps;
    while (!path.empty()) {
      const size_t slash = path.find('/');
      const std::string_view name = path.substr(0, slash);
      if (!name.empty() && name != ".") steps.push_back({std::string(name), std::nullopt});
      path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    }
    if (owner) steps.push_back({{}, owner});
    steps_.insert(steps_.begin(), steps.begin(), steps.end());
  }

  bool take(Descriptor& at, const std::string& name) {
    Descriptor next(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat found{};
    if (next.get() < 0 || ::fstat(next.get(), &found) != 0) return false;
    if (!S_ISLNK(found.st_mode)) {
      at = std::move(next);
      return true;
    }
    if (++links_ > kLinksMax || steps_.size() > kDepthMax) {
      errno = ELOOP;
      return false;
    }
    char target[PATH_MAX];
    const ssize_t size = ::readlinkat(next.get(), "", target, sizeof target);
    if (size <= 0 || size == sizeof target) {
      if (size >= 0) errno = ENOENT;
      return false;
    }
    if (target[0] == '/') {
      at = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (at.get() < 0) return false;
    }
    put_in_front({target, static_cast<size_t>(size)}, found.st_uid);
    return true;
  }

  int root_;
  std::deque<Step> steps_;
  int links_ = 0;
};

}  // namespace

int open_by_owner(int root, const char* path, int flags) {
  const Descriptor found = OwnerWalk(root, path).run();
  if (found.get() < 0) return -1;
  if ((flags & O_PATH) != 0) return ::fcntl(found.get(), F_DUPFD_CLOEXEC, 0);
  // What was found is opened, not its name once more.
  char self[48];
  std::snprintf(self, sizeof self, "/proc/self/fd/%d", found.get());
  return ::open(self, flags);
}

}  // namespace io
