// Cookies: found inside the field, and a rewritten Set-Cookie keeps its name and value.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/cookie.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (const auto value = http::find_cookie(input, "a")) {
    check(value->find(';') == std::string_view::npos);
    check(value->data() >= input.data() && value->data() + value->size() <= input.data() + size);
  }
  std::string same, changed;
  http::append_rewritten_set_cookie(same, input, {});
  check(same == input);
  const http::CookieRewrite rewrite{
      .path_from = "/", .path_to = "/app", .domain_from = "*", .domain_to = "b.test"};
  http::append_rewritten_set_cookie(changed, input, rewrite);
  check(changed.starts_with(input.substr(0, input.find(';'))));
  return 0;
}
