// What the proxy makes of fields: nothing of the hop and nothing that a client may not say goes on,
// and what is sent parses as the one request that it is.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/escape.h"
#include "http/fake_carrier.h"
#include "http/forwarding_name.h"
#include "http1/request_parser.h"
#include "http1/response_parser.h"
#include "http1/serializer.h"
#include "proxy/hop_by_hop.h"
#include "proxy/request_fields.h"
#include "proxy/response_fields.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

void check_request_fields(const http::Fields& fields, std::string_view peer) {
  using enum http::FieldName;
  check(fields.all()[0].id == host && fields.count(host) == 1);
  check(fields.count(x_forwarded_for) == 1 && fields.value(x_forwarded_for) == peer);
  check(fields.count(x_real_ip) == 1 && fields.value(x_real_ip) == peer);
  check(!fields.has(content_length) && !fields.has(expect) && !fields.has(http::FieldName::proxy));
  check(!fields.has(forwarded));
  check(fields.all().back().id == via);
  for (const http::Field& field : fields.all()) {
    check(!proxy::is_hop_by_hop(field.id));
    check(!base::has_field_controls(field.value));
    check(field.id != other || !http::is_forwarding_name(field.name));
  }
}

void fuzz_request(std::string_view input) {
  base::BlockPool blocks;
  http::FakeExchange fake("GET", "/");
  http::Exchange& exchange = fake.exchange;
  http::Limits limits;
  http1::RequestParser parser(false);
  exchange.begin(fake.carrier, fake.info);
  exchange.request() = {};
  if (parser.parse(input, limits, exchange.request(), exchange.arena()) !=
      http1::ParseStatus::done) {
    return;
  }
  exchange.set_head(input.substr(0, parser.head_size()));
  const http::Request& request = exchange.request();
  const proxy::Pseudonym pseudonym(0x12345678);
  const proxy::RequestRules rules{.pseudonym = &pseudonym};
  http::Fields fields;
  std::string scratch;
  const std::string_view host = request.authority.empty() ? "origin" : request.authority;
  const auto verdict = proxy::make_request_fields(exchange, host, rules, fields, scratch);
  if (verdict != proxy::RequestVerdict::good) return;
  check_request_fields(fields, "127.0.0.1");

  const std::string_view target = proxy::request_target(exchange);
  if (request.method == http::Method::connect) return;
  std::string sent(http1::request_head_bound(request.method_text, target, fields, request.upgrade),
                   '\0');
  sent.resize(http1::write_request_head(sent.data(), request.method_text, target, fields,
                                        request.body, request.upgrade));
  check(!sent.empty());
  http1::RequestParser again(false);
  http::Request received;
  base::Arena arena(blocks);
  http::Limits wide;
  wide.fields_max = 1000;
  wide.request_line_max = wide.field_size_max = wide.fields_size_max = 1 << 20;
  check(again.parse(sent, wide, received, arena) == http1::ParseStatus::done);
  check(again.head_size() == sent.size());
  check(received.method_text == request.method_text);
  check(received.raw_path == request.raw_path && received.query == request.query);
  check(received.body.empty() == request.body.empty());
}

void fuzz_response(std::string_view input) {
  http1::ResponseParser parser;
  http::Response from;
  const http1::FieldLimits limits{1 << 20, 1 << 20, 1000};
  if (parser.parse(input, limits, http::Method::get, from) != http1::ParseStatus::done) return;
  http::FakeExchange fake("GET", "/x");
  fake.exchange.stripped_prefix = "/app";
  const proxy::ResponseRules rules{
      .rewrite_location = true, .host_sent = "example.com", .endpoint_authority = "10.0.0.1:3000"};
  std::string scratch;
  if (!proxy::make_response(from, input.substr(0, parser.head_size()), rules, fake.exchange,
                            scratch))
    return;
  for (const http::Field& field : fake.exchange.response().fields.all()) {
    check(!proxy::is_hop_by_hop(field.id) && field.id != http::FieldName::content_length);
    check(!base::has_field_controls(field.value));
  }
  for (const http::Field& field : from.fields.all()) {
    if (field.id != http::FieldName::location) continue;
    const std::string_view changed = proxy::rewrite_location(field.value, rules, fake.exchange);
    // Whatever becomes of it, it leads to no host that it did not name, but for the client's own.
    if (changed != field.value) {
      check(changed.starts_with("/app") || changed.find("/app") != std::string_view::npos);
      check(!changed.starts_with("//"));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  if (size == 0) return 0;
  if (input[0] % 2 == 0) {
    fuzz_request(input.substr(1));
  } else {
    fuzz_response(input.substr(1));
  }
  return 0;
}
