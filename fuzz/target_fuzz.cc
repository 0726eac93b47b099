// Targets and authorities: what is taken has only bytes that a target may have, and views into it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/path.h"
#include "http/target.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_authority(const http::Authority& authority) {
  check(!authority.host.empty() && authority.host.size() <= http::kHostSizeMax);
  for (char c : authority.host) {
    check(c > ' ' && c < 0x7f);
    check(std::string_view("/@?#\\,;<>\"'[]% ").find(c) == std::string_view::npos);
    check(c != ':' || authority.kind == http::HostKind::kIpv6);
  }
  check(authority.text.find(authority.host) != std::string_view::npos);
  std::vector<char> scratch(authority.host.size());
  const auto lower = http::lower_host(authority.host, scratch.data());
  check(lower.size() == authority.host.size());
  // What was taken is taken again, and means the same.
  const auto again = http::parse_authority(authority.text);
  check(again && again->host == authority.host && again->port == authority.port);
}

void check_target(const http::Target& target) {
  for (std::string_view part : {target.path, target.query}) {
    for (char c : part) check(c > ' ' && c < 0x7f && c != '#' && c != '\\');
  }
  check(target.path.find('?') == std::string_view::npos);
  check(target.has_query || target.query.empty());
  const bool has_path =
      target.form == http::TargetForm::kOrigin || target.form == http::TargetForm::kAbsolute;
  check(target.path.starts_with('/') == has_path);
  const bool has_authority =
      target.form == http::TargetForm::kAbsolute || target.form == http::TargetForm::kAuthority;
  check(target.authority.host.empty() != has_authority);
  if (has_authority) check_authority(target.authority);
  if (!has_path) return;
  std::vector<char> scratch(target.path.size());
  const auto path = http::canonical_path(target.path, scratch.data());
  check(path || path.error() != http::PathError::kBadCharacter);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto target = http::parse_target(input)) check_target(*target);
  if (const auto target = http::parse_connect_target(input)) {
    check(target->authority.port.has_value());
    check_target(*target);
  }
  if (const auto authority = http::parse_authority(input)) check_authority(*authority);
  return 0;
}
