#include "io/random_bytes.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace io {

void random_bytes(void* into, size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) std::abort();
    at += got;
    size -= static_cast<size_t>(got);
  }
}

}  // namespace io
