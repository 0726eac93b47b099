// Password hashes: which are taken, and whether a password fits one.
//
// bcrypt ($2a$ $2b$ $2y$), SHA-512 crypt ($6$), yescrypt ($y$) and argon2 (id, i and d).
// Not taken: MD5 and DES crypt, Apache's {SHA} and $apr1$, plain text: whoever reads such a file
// has the passwords. Verifying is slow by design (milliseconds, and memory): on a helper thread
// only. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "handlers/options.h"

namespace handlers {

// Longer ones are wrong without being looked at: hashing must not become a lever (O10).
inline constexpr size_t kPasswordSizeMax = 512;

// Whether verify_password can do anything with it.
bool is_password_hash(std::string_view hash);

// Compares in constant time.
bool verify_password(const std::string& hash, const std::string& password);

// The lines `name:hash` of an htpasswd file; empty lines and # are skipped, further fields after a
// second colon are not looked at. The error names the line.
std::expected<std::vector<User>, std::string> parse_htpasswd(std::string_view text);

}  // namespace handlers
