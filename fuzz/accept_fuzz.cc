// Negotiation and the grammar under it: weights in their bounds, elements inside the list.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/accept.h"
#include "http/media_type.h"
#include "http/syntax.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

constexpr http::Coding kAll[] = {http::Coding::kZstd, http::Coding::kBrotli, http::Coding::kGzip};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto codings = http::AcceptedCodings::parse(input);
  for (std::size_t i = 0; i < http::kCodings; ++i) {
    const int weight = codings.weight(static_cast<http::Coding>(i));
    check(weight >= 0 && weight <= 1000);
  }
  const auto chosen = codings.choose(kAll);
  if (chosen) check(codings.accepts(*chosen));
  if (!chosen) check(!codings.accepts(http::Coding::kIdentity));
  if (http::prefers_json(input)) check(http::accepts_type(input, "application/json"));

  std::string_view list = input;
  std::size_t total = 0;
  while (const auto element = http::next_element(list)) {
    check(!element->empty());
    total += element->size();
  }
  check(list.empty() && total <= size);
  std::string_view parameters = input;
  while (const auto parameter = http::next_parameter(parameters)) {
    check(http::is_token(parameter->name));
    std::string value;
    http::append_unquoted(value, parameter->value);
    check(value.size() <= parameter->value.size());
  }
  check(http::essence(input).size() <= size);
  http::is_compressible(input);
  return 0;
}
