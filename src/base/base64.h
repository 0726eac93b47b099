// Base64 (RFC 4648 4) and its URL-safe alphabet (RFC 4648 5).
//
// Decoding is strict: padded to a multiple of four (the URL-safe form unpadded), no whitespace, no
// foreign characters, and no stray bits at the end, so that one value has one spelling.
// Pure functions, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace base {

void append_base64(std::string& out, std::string_view bytes);
std::string base64(std::string_view bytes);
std::optional<std::string> base64_decode(std::string_view text);

// Without padding.
std::string base64url(std::string_view bytes);
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace base
