// What a hit in the file cache costs, from handle() to the call of the carrier; with one path, with
// many, with a condition, and behind filters.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "handlers/compress.h"
#include "handlers/files.h"
#include "handlers/security_headers.h"
#include "handlers/services.h"
#include "http/fake_carrier.h"

namespace {

constexpr int kPathsMax = 1000;

struct World {
  World() {
    std::string name = (std::filesystem::temp_directory_path() / "webship.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    root = name;
    for (int i = 0; i < kPathsMax; ++i) {
      std::ofstream(root / ("file" + std::to_string(i) + ".html")) << std::string(1000, 'x');
    }
    options.root = root;
    options.cache.fresh = std::chrono::hours(1);
    files = std::move(*handlers::Files::create(options, services));
  }
  ~World() { std::filesystem::remove_all(root); }

  std::vector<std::unique_ptr<http::FakeExchange>> exchanges(
      int paths, const http::FakeExchange::List& fields = {}) {
    std::vector<std::unique_ptr<http::FakeExchange>> result;
    for (int i = 0; i < paths; ++i) {
      result.push_back(std::make_unique<http::FakeExchange>(
          "GET", "/file" + std::to_string(i) + ".html", fields));
      result.back()->handle(*files);
      while (!result.back()->done()) loop.turn(std::chrono::milliseconds(1));
      result.back()->carrier.recording = false;
    }
    return result;
  }

  io::Loop loop;
  io::HelperPool helpers{2, 64};
  http::MediaTypes types;
  base::Random random{{1, 2, 3, 4}};
  handlers::Services services{loop, helpers, helpers, types, random, {5, 6}};
  std::filesystem::path root;
  handlers::FilesOptions options;
  std::unique_ptr<handlers::Files> files;
};

void hit(benchmark::State& state) {
  World world;
  const auto exchanges = world.exchanges(static_cast<int>(state.range(0)));
  size_t at = 0;
  for (auto _ : state) {
    http::Exchange& exchange = exchanges[at]->exchange;
    benchmark::DoNotOptimize(world.files->handle(exchange).done());
    if (++at == exchanges.size()) at = 0;
  }
}
BENCHMARK(hit)->Arg(1)->Arg(100)->Arg(kPathsMax);

// begin() resets the exchange each time: what fields and hooks cost is in it.
template <typename Prepare>
void run(benchmark::State& state, const http::FakeExchange::List& fields, Prepare prepare) {
  World world;
  http::FakeExchange fake("GET", "/file0.html", fields);
  fake.handle(*world.files);
  while (!fake.done()) world.loop.turn(std::chrono::milliseconds(1));
  http::Fields kept;
  for (const http::Field& field : fake.exchange.request().fields.all()) kept.push(field);
  const std::string path(fake.exchange.request().path);
  fake.carrier.clear();
  fake.carrier.recording = false;
  for (auto _ : state) {
    fake.exchange.begin(fake.carrier, fake.info);
    fake.exchange.request().path = path;
    for (const http::Field& field : kept.all()) fake.exchange.request().fields.push(field);
    prepare(fake.exchange);
    benchmark::DoNotOptimize(world.files->handle(fake.exchange).done());
    fake.carrier.status = 0;
    fake.carrier.ended = false;
    fake.carrier.fields.clear();
    fake.carrier.body.clear();
  }
}

void begin_and_hit(benchmark::State& state) {
  run(state, {}, [](http::Exchange&) {});
}
BENCHMARK(begin_and_hit);

void not_modified(benchmark::State& state) {
  run(state, {{"If-None-Match", "*"}}, [](http::Exchange&) {});
}
BENCHMARK(not_modified);

void security_headers(benchmark::State& state) {
  const handlers::SecurityHeadersOptions options;
  handlers::SecurityHeaders filter(options);
  run(state, {},
      [&](http::Exchange& exchange) { benchmark::DoNotOptimize(filter.filter(exchange).done()); });
}
BENCHMARK(security_headers);

}  // namespace
