// Reads a PROXY header from the first bytes of a connection.
//
// Incremental by asking again: give all bytes received so far; as soon as they can't become a
// header the answer is kInvalid, and the connection is closed without a word (section 2). Strict in
// everything that the specification leaves no choice in (N02).
#pragma once

#include <string_view>

#include "proxy_protocol/header.h"

namespace proxy_protocol {

enum class Result : unsigned char { kNeedMore, kInvalid, kDone };

struct Parsed {
  Result result = Result::kNeedMore;
  Header header;                // of kDone
  std::string_view error = {};  // of kInvalid, for the log; a literal
};

Parsed parse(std::string_view bytes);

}  // namespace proxy_protocol
