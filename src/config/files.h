// Whether what a configuration names is there: certificates and keys that fit, folders, users.
//
// For `webship check`, with line and column; server/prepare finds the same out when a configuration
// is put into effect. As the user who asks: what that one may not read is a warning, for the
// server's user may. Blocks on files.
#pragma once

#include "config/reader.h"

namespace config {

void check_files(Reader& reader);

}  // namespace config
