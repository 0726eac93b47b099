// For tests: a worker's services, a directory of its own, and asking a handler.
//
// The directory is removed at the end. Nothing here waits for a fixed time: the loop turns until
// the answer is there, and gives up after 20 seconds.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "handlers/files.h"
#include "handlers/services.h"
#include "http/fake_carrier.h"
#include "io/helper_pool.h"
#include "io/loop.h"

namespace handlers {

class World {
 public:
  using List = http::FakeExchange::List;

  World() {
    std::string name = (std::filesystem::temp_directory_path() / "webship.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for the test");
    top = name;
    root = top / "www";
    std::filesystem::create_directory(root);
    options.root = root;
  }
  ~World() { std::filesystem::remove_all(top); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Beneath the root, with the directories it needs. `age` is how long ago it was written.
  void write(const std::filesystem::path& path, std::string_view content,
             std::chrono::seconds age = std::chrono::hours(1)) {
    const std::filesystem::path whole = root / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << content;
    std::filesystem::last_write_time(whole, std::filesystem::file_time_type::clock::now() - age);
  }

  Files& files() {
    if (files_ == nullptr) {
      auto made = Files::create(options, services);
      if (!made) throw std::runtime_error(made.error());
      files_ = std::move(*made);
    }
    return *files_;
  }
  void rebuild() { files_.reset(); }

  // Asks and waits. What was answered is in carrier().
  http::FakeCarrier& ask(http::Handler& handler, std::string_view method, std::string_view target,
                         const List& fields = {}) {
    begin(method, target, fields);
    exchange->handle(handler);
    wait();
    return exchange->carrier;
  }
  http::FakeCarrier& get(std::string_view target, const List& fields = {}) {
    return ask(files(), "GET", target, fields);
  }
  http::FakeCarrier& head(std::string_view target, const List& fields = {}) {
    return ask(files(), "HEAD", target, fields);
  }
  void begin(std::string_view method, std::string_view target, const List& fields = {}) {
    exchange = std::make_unique<http::FakeExchange>(method, target, fields);
  }
  void wait() {
    wait([this] { return exchange->done(); });
  }
  template <typename Condition>
  void wait(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "nothing came of it";
      loop.turn(std::chrono::milliseconds(20));
    }
  }

  io::Loop loop;
  io::HelperPool helpers{2, 64};
  http::MediaTypes types;
  base::Random random{{1, 2, 3, 4}};
  Services services{loop, helpers, helpers, types, random, {5, 6}};
  std::filesystem::path top;
  std::filesystem::path root;
  FilesOptions options;
  std::unique_ptr<http::FakeExchange> exchange;

 private:
  std::unique_ptr<Files> files_;
};

}  // namespace handlers
