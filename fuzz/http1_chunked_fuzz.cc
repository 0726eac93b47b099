// The chunked coding: the same content, trailers and end however the input is cut.
#include <cstdlib>
#include <string>

#include "http1/chunked_decoder.h"

namespace {

struct Decoded {
  http1::ChunkedDecoder decoder;
  http::Fields trailers;
  std::string content;
  std::string trailer_text;
  size_t consumed = 0;
  http1::ChunkedDecoder::Status status = http1::ChunkedDecoder::Status::need_more;
};

void decode(Decoded& decoded, std::string_view input, size_t step) {
  using Status = http1::ChunkedDecoder::Status;
  std::string kept;
  for (size_t at = 0; at < input.size(); at += step) {
    std::string memory = kept + std::string(input.substr(at, step));
    std::string_view rest = memory;
    for (;;) {
      auto [status, consumed, size] = decoded.decoder.step(rest, decoded.trailers);
      if (consumed + size > rest.size()) std::abort();
      decoded.status = status;
      decoded.consumed += consumed + size;
      if (status == Status::done) {
        for (const http::Field& field : decoded.trailers.all()) {
          decoded.trailer_text.append(field.name).append(":").append(field.value).append("\n");
        }
      }
      if (status == Status::done || status == Status::error) return;
      rest.remove_prefix(consumed);
      if (status == Status::need_more) break;
      if (size == 0) std::abort();
      decoded.content += rest.substr(0, size);
      decoded.decoder.advance(size);
      rest.remove_prefix(size);
    }
    kept = std::string(rest);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  Decoded whole, cut;
  decode(whole, input, input.size());
  decode(cut, input, 1 + data[size - 1] % 7);
  if (whole.status != cut.status || whole.content != cut.content) std::abort();
  if (whole.decoder.error().reason != cut.decoder.error().reason) std::abort();
  if (whole.trailer_text != cut.trailer_text) std::abort();
  bool done = whole.status == http1::ChunkedDecoder::Status::done;
  if (done && whole.consumed != cut.consumed) std::abort();
  return 0;
}
