// What parsing a head costs: a small request (5 fields), a browser's (12), and the same split in
// two.
#include <benchmark/benchmark.h>

#include <string>

#include "base/arena.h"
#include "http1/chunked_decoder.h"
#include "http1/request_parser.h"
#include "http1/response_parser.h"

namespace {

const std::string kSmall =
    "GET /index.html?a=1 HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "User-Agent: curl/8.5.0\r\n"
    "Accept: */*\r\n"
    "Accept-Encoding: gzip, br\r\n"
    "Connection: keep-alive\r\n\r\n";

const std::string kBrowser =
    "GET /assets/app-3f2a9c.js HTTP/1.1\r\n"
    "Host: www.example.com\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Referer: https://www.example.com/some/page\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; _ga=GA1.2.1.1\r\n"
    "Sec-Fetch-Dest: script\r\n"
    "Sec-Fetch-Mode: no-cors\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "If-None-Match: \"5f3b-61a\"\r\n"
    "Connection: keep-alive\r\n\r\n";

void parse(benchmark::State& state, const std::string& head, size_t first) {
  http::Limits limits;
  base::BlockPool blocks;
  base::Arena arena(blocks);
  http::Request request;
  http1::RequestParser parser;
  for (auto _ : state) {
    http::Fields fields = std::move(request.fields);
    fields.clear();
    request = {};
    request.fields = std::move(fields);
    parser.reset();
    std::string_view view = head;
    if (first > 0) parser.parse(view.substr(0, first), limits, request, arena);
    if (parser.parse(view, limits, request, arena) != http1::ParseStatus::done) {
      state.SkipWithError("not parsed");
    }
    benchmark::DoNotOptimize(request);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * head.size()));
}

void small_request(benchmark::State& state) { parse(state, kSmall, 0); }
void browser_request(benchmark::State& state) { parse(state, kBrowser, 0); }
void split_request(benchmark::State& state) { parse(state, kSmall, 40); }

void response(benchmark::State& state) {
  const std::string_view head =
      "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
      "Content-Type: text/plain\r\nContent-Length: 12\r\nConnection: keep-alive\r\n\r\n";
  http::Response response;
  http1::ResponseParser parser;
  http1::FieldLimits limits{65536, 65536, 200};
  for (auto _ : state) {
    response.fields.clear();
    parser.reset();
    if (parser.parse(head, limits, http::Method::get, response) != http1::ParseStatus::done) {
      state.SkipWithError("not parsed");
    }
    benchmark::DoNotOptimize(response);
  }
}

void chunks(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  std::string chunk = std::string(size, 'x');
  char head[32];
  chunk = std::string(head, static_cast<size_t>(snprintf(head, sizeof head, "%zx\r\n", size))) +
          chunk + "\r\n";
  std::string body;
  for (int i = 0; i < 64; ++i) body += chunk;
  body += "0\r\n\r\n";
  http::Fields trailers;
  for (auto _ : state) {
    http1::ChunkedDecoder decoder;
    std::string_view rest = body;
    for (;;) {
      auto step = decoder.step(rest, trailers);
      if (step.status == http1::ChunkedDecoder::Status::done) break;
      decoder.advance(step.data_size);
      rest.remove_prefix(step.consumed + step.data_size);
    }
  }
  state.SetItemsProcessed(state.iterations() * 64);
}

BENCHMARK(small_request);
BENCHMARK(browser_request);
BENCHMARK(split_request);
BENCHMARK(response);
BENCHMARK(chunks)->Arg(1)->Arg(1024)->Arg(16384);

}  // namespace
