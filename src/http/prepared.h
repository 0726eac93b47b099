// A response that is ready: the same bytes for everybody who asks, until it is replaced.
//
// For hot files and fixed answers. Each version of HTTP keeps its encoding of the head here after
// the first use (HTTP/1.1: lines without Date and Connection; HTTP/2: an HPACK block without
// dynamic entries), so that answering costs one copy. Belongs to one worker; never changed after it
// was answered with once.
#pragma once

#include <array>
#include <string>

#include "base/slice.h"
#include "http/message.h"

namespace http {

struct PreparedResponse {
  Response head;  // body is BodyLength::of(body.size())
  base::Slice body;
  std::string text;  // what head's fields view, where nothing else owns it
  mutable std::array<std::string, 3> encoded;  // by version: 0 HTTP/1.1, 1 HTTP/2, 2 HTTP/3
};

}  // namespace http
