// Names of fields that only a proxy in front of us may set: who the client is, how it came, its
// certificate (S30).
//
// Also beyond those that FieldName knows, since an origin may believe any of them. Taken off in
// heads from peers that aren't trusted, in trailers from everybody (S27), and nobody's Connection
// field can nominate them (S29). RFC 7239, RFC 9440 and what proxies use in practice. Pure
// function, any thread.
#pragma once

#include <string_view>

namespace http {

bool is_forwarding_name(std::string_view name);

}  // namespace http
