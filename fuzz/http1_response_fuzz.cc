// Heads of responses: the same result however they are cut, and what was parsed and written again
// is parsed as the same.
#include <cstdlib>
#include <memory>
#include <string>

#include "http1/response_parser.h"
#include "http1/serializer.h"

namespace {

constexpr http1::FieldLimits kLimits{100, 400, 12};

struct Parsed {
  http::Response response;
  http1::ResponseParser parser;
  http1::ParseStatus status = http1::ParseStatus::need_more;
  std::unique_ptr<char[]> memory;
};

void parse(Parsed& parsed, std::string_view input, size_t step, http::Method method) {
  for (size_t size = std::min(step, input.size());; size = std::min(size + step, input.size())) {
    auto memory = std::make_unique_for_overwrite<char[]>(size);
    input.copy(memory.get(), size);
    parsed.status = parsed.parser.parse({memory.get(), size}, kLimits, method, parsed.response);
    parsed.memory = std::move(memory);
    if (parsed.status != http1::ParseStatus::need_more || size == input.size()) return;
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  http::Method method = data[size - 1] % 8 == 0 ? http::Method::head : http::Method::get;
  Parsed whole, cut;
  parse(whole, input, input.size(), method);
  parse(cut, input, 1 + data[size - 1] % 7, method);
  require(whole.status == cut.status);
  require(whole.parser.error().status == cut.parser.error().status);
  require(whole.parser.error().reason == cut.parser.error().reason);
  if (whole.status != http1::ParseStatus::done) return 0;
  const http::Response& response = whole.response;
  require(whole.parser.head_size() == cut.parser.head_size());
  require(whole.parser.framing() == cut.parser.framing());
  require(whole.parser.keep_alive() == cut.parser.keep_alive());
  require(response.status == cut.response.status && response.body == cut.response.body);
  require(response.fields.size() == cut.response.fields.size());
  for (size_t i = 0; i < response.fields.size(); ++i) {
    require(response.fields.all()[i].name == cut.response.fields.all()[i].name);
    require(response.fields.all()[i].value == cut.response.fields.all()[i].value);
  }

  http1::ResponseContext context{
      .head = method == http::Method::head, .http10 = false, .keep_alive = true, .date = "now"};
  http1::Transfer transfer = http1::choose_transfer(response, context);
  std::string out(http1::response_head_bound(response), '\0');
  out.resize(http1::write_response_head(out.data(), response, transfer, context));
  http::Response again;
  http1::ResponseParser parser;
  require(parser.parse(out, {65536, 65536, 100}, method, again) == http1::ParseStatus::done);
  require(parser.head_size() == out.size());
  require(again.status == response.status);
  if (transfer == http1::Transfer::chunked) {
    require(parser.framing().kind == http::BodyKind::unknown);
  } else {
    require(parser.framing() == whole.parser.framing());
  }
  return 0;
}
