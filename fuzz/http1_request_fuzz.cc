// Heads of requests: the same result however they are cut, and what was parsed and written again is
// parsed as the same.
#include <cstdlib>
#include <memory>
#include <string>

#include "base/arena.h"
#include "http1/request_parser.h"
#include "http1/serializer.h"

namespace {

struct Parsed {
  base::BlockPool blocks;
  base::Arena arena{blocks};
  http::Request request;
  http1::RequestParser parser;
  http1::ParseStatus status = http1::ParseStatus::need_more;
  std::unique_ptr<char[]> memory;
};

http::Limits small_limits() {
  http::Limits limits;
  limits.request_line_max = 200;
  limits.field_size_max = 100;
  limits.fields_size_max = 400;
  limits.fields_max = 12;
  return limits;
}

// Gives one view after another, each a step longer and in memory of its own size.
void parse(Parsed& parsed, std::string_view input, size_t step) {
  const http::Limits limits = small_limits();
  for (size_t size = std::min(step, input.size());; size = std::min(size + step, input.size())) {
    auto memory = std::make_unique_for_overwrite<char[]>(size);
    input.copy(memory.get(), size);
    parsed.status = parsed.parser.parse({memory.get(), size}, limits, parsed.request, parsed.arena);
    parsed.memory = std::move(memory);
    if (parsed.status != http1::ParseStatus::need_more || size == input.size()) return;
  }
}

void require(bool holds) {
  if (!holds) std::abort();
}

void require_same(const http::Request& a, const http::Request& b) {
  require(a.method_text == b.method_text && a.target == b.target && a.authority == b.authority);
  require(a.host == b.host && a.port == b.port && a.raw_path == b.raw_path && a.query == b.query);
  require(a.has_query == b.has_query && a.body == b.body && a.upgrade == b.upgrade);
  require(a.fields.size() == b.fields.size());
  for (size_t i = 0; i < a.fields.size(); ++i) {
    require(a.fields.all()[i].name == b.fields.all()[i].name);
    require(a.fields.all()[i].value == b.fields.all()[i].value);
    require(a.fields.all()[i].id == b.fields.all()[i].id);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  if (input.empty()) return 0;
  Parsed whole, cut;
  parse(whole, input, input.size());
  parse(cut, input, 1 + data[size - 1] % 7);
  require(whole.status == cut.status);
  require(whole.parser.error().status == cut.parser.error().status);
  require(whole.parser.error().reason == cut.parser.error().reason);
  if (whole.status != http1::ParseStatus::done) return 0;
  require(whole.parser.head_size() == cut.parser.head_size());
  require(whole.parser.keep_alive() == cut.parser.keep_alive());
  require_same(whole.request, cut.request);

  http::Request& request = whole.request;
  if (request.version != http::Version::http11) return 0;
  http::Fields fields;
  for (const http::Field& field : request.fields.all()) fields.push(field);
  std::string out(
      http1::request_head_bound(request.method_text, request.target, fields, request.upgrade),
      '\0');
  out.resize(http1::write_request_head(out.data(), request.method_text, request.target, fields,
                                       request.body, request.upgrade));
  require(!out.empty());
  base::BlockPool blocks;
  base::Arena arena(blocks);
  http::Request again;
  http1::RequestParser parser;
  require(parser.parse(out, {}, again, arena) == http1::ParseStatus::done);
  require(parser.head_size() == out.size());
  require(again.method_text == request.method_text && again.target == request.target);
  require(again.authority == request.authority && again.upgrade == request.upgrade);
  // POST without a body says so with a length of zero.
  require(again.body == request.body || (again.body.empty() && request.body.empty()));
  return 0;
}
