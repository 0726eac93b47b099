// Forwarded and X-Forwarded-For: an untrusted peer changes nothing, a trusted one no more than it
// may, and what is appended behind hostile text is found.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/forwarded.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const base::CidrSet trusted =
      base::CidrSet::parse(std::vector<std::string>{"10.0.0.0/8"}).value();
  const auto proxy = base::Address::ipv4(0x0a000001, 80);
  const auto stranger = base::Address::ipv4(0xc0000201, 80);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::string_view lines[] = {std::string_view(input).substr(0, size / 2),
                                    std::string_view(input).substr(size / 2)};

  check(http::client_from_forwarded(stranger, lines, trusted).address == stranger);
  check(http::client_from_x_forwarded_for(stranger, lines, trusted).address == stranger);
  http::client_from_forwarded(proxy, lines, trusted);
  http::client_from_x_forwarded_for(proxy, lines, trusted);

  // The proxy appends who it saw, on the same line or on one of its own.
  std::string element;
  http::append_forwarded_element(element, stranger, input, "https");
  check(element.find('\r') == std::string::npos && element.find('\n') == std::string::npos);
  const std::string forwarded = input + ", for=192.0.2.1";
  const std::string x_forwarded_for = input + ", 192.0.2.1";
  const std::string_view one[] = {forwarded};
  const std::string_view two[] = {input, "192.0.2.1"};
  const std::string_view x_one[] = {x_forwarded_for};
  const auto seen = stranger.with_port(0);
  check(http::client_from_forwarded(proxy, one, trusted).address == seen);
  check(http::client_from_x_forwarded_for(proxy, x_one, trusted).address == seen);
  check(http::client_from_x_forwarded_for(proxy, two, trusted).address == seen);

  if (const auto node = http::parse_node(input)) check(node->is_ip());
  if (const auto address = base::Address::parse(input)) {
    check(base::Address::parse(address->to_string()) == *address);
  }
  return 0;
}
