// Opening a path whose symbolic links count only where link and target have the same owner.
//
// The kernel has no such rule, so the path is walked name by name, each step by descriptors: no
// name is looked at twice, so nothing can be exchanged between the check and the use (attack F04).
// Such links may lead out of the root, for their owners could have put the target there as well.
#pragma once

namespace io {

// As openat(2) relative to `root`; -1 with errno (EACCES where owners differ).
int open_by_owner(int root, const char* path, int flags);

}  // namespace io
