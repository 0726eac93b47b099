#include "handlers/password.h"

#include <argon2.h>
#include <crypt.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.h"

namespace handlers {

namespace {

std::optional<argon2_type> argon2_kind(std::string_view hash) {
  if (hash.starts_with("$argon2id$")) return Argon2_id;
  if (hash.starts_with("$argon2i$")) return Argon2_i;
  if (hash.starts_with("$argon2d$")) return Argon2_d;
  return std::nullopt;
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  // Not to be seen through by the optimizer, which could leave the loop early.
  asm volatile("" : "+r"(difference));
  return difference == 0;
}

}  // namespace

bool is_password_hash(std::string_view hash) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"$2a$", "$2b$", "$2y$", "$6$", "$y$"};
  const bool crypt_kind = std::ranges::any_of(
      kPrefixes, [hash](std::string_view prefix) { return hash.starts_with(prefix); });
  const bool plain = std::ranges::none_of(hash, [](char c) { return c <= ' ' || c == 0x7f; });
  return plain && (crypt_kind || argon2_kind(hash)) && hash.size() >= 20 && hash.size() <= 512;
}

bool verify_password(const std::string& hash, const std::string& password) {
  if (password.size() > kPasswordSizeMax || password.contains('\0')) return false;
  if (const auto kind = argon2_kind(hash)) {
    return argon2_verify(hash.c_str(), password.data(), password.size(), *kind) == ARGON2_OK;
  }
  if (!is_password_hash(hash)) return false;
  const auto data = std::make_unique<crypt_data>();  // 32 KiB: not for a thread's stack
  const char* made = crypt_rn(password.c_str(), hash.c_str(), data.get(), sizeof *data);
  return made != nullptr && equal_in_constant_time(made, hash);
}

std::expected<std::vector<User>, std::string> parse_htpasswd(std::string_view text) {
  std::vector<User> users;
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = base::trim(line);
    if (line.empty() || line.front() == '#') continue;
    const size_t colon = line.find(':');
    if (colon == line.npos || colon == 0) {
      return std::unexpected("line " + std::to_string(number) + ": expected NAME:HASH");
    }
    std::string_view hash = line.substr(colon + 1);
    hash = hash.substr(0, hash.find(':'));
    if (!is_password_hash(hash)) {
      return std::unexpected("line " + std::to_string(number) +
                             ": the hash is not bcrypt, argon2 or SHA-512 crypt (htpasswd -B "
                             "makes bcrypt)");
    }
    users.push_back({std::string(line.substr(0, colon)), std::string(hash)});
  }
  return users;
}

}  // namespace handlers
