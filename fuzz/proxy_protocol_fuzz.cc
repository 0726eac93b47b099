// PROXY headers: no crash, no read beyond the input, and more bytes never undo an answer.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "proxy_protocol/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using proxy_protocol::Parsed;
  using proxy_protocol::Result;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Parsed whole = proxy_protocol::parse(input);
  if (whole.result == Result::kDone) {
    if (whole.header.size == 0 || whole.header.size > size) std::abort();
    proxy_protocol::TlvReader reader(whole.header.tlvs);
    while (reader.next()) {
    }
    if (reader.broken()) std::abort();
    if (proxy_protocol::parse(input.substr(0, whole.header.size)).result != Result::kDone) {
      std::abort();
    }
    const std::string_view cut = input.substr(0, whole.header.size - 1);
    if (proxy_protocol::parse(cut).result == Result::kDone) std::abort();
  }
  const Result half = proxy_protocol::parse(input.substr(0, size / 2)).result;
  if (half == Result::kInvalid && whole.result != Result::kInvalid) std::abort();
  return 0;
}
