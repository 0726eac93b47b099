// Random bytes from the kernel: seeds and keys made once, at start-up.
//
// Everything else that is random comes from base/random, seeded with these, or from OpenSSL. Ends
// the process where the kernel has none to give: nothing safe could follow. Any thread.
#pragma once

#include <cstddef>

namespace io {

void random_bytes(void* into, size_t size);

}  // namespace io
