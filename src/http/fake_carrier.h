// For tests: a carrier that records what an exchange sends, and an exchange with a request.
//
// Stands where a connection does. Answers HEAD, 204 and 304 without a body, as a connection would;
// checks the order of the calls. Bodies from files are read at once. Nothing here is in the
// product.
//
//   http::FakeExchange fake("GET", "/a?b", {{"Range", "bytes=0-1"}});
//   fake.handle(handler);             // or fake.filter(filter); tasks are started
//   while (!fake.done()) loop.turn(…)
//   EXPECT_EQ(fake.carrier.status, 206);
#pragma once

#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/exchange.h"
#include "http/field_name.h"
#include "http/handler.h"
#include "http/path.h"
#include "http/status.h"

namespace http {

class FakeCarrier final : public Carrier {
 public:
  using Field = std::pair<std::string, std::string>;

  // What was sent.
  int status = 0;
  std::vector<Field> fields;
  BodyLength length;
  std::string body;
  std::vector<Field> trailers;
  std::vector<std::pair<int, std::vector<Field>>> informational;
  size_t writes = 0;    // calls of send_body
  size_t files = 0;     // of those with a FileRange
  size_t prepared = 0;  // calls of send_prepared
  const PreparedResponse* last_prepared = nullptr;
  bool ended = false;
  bool aborted = false;
  bool tunnel = false;

  // What the client does.
  bool head_request = false;
  bool can_write = true;
  bool connected = true;
  // Keep no body, for benchmarks.
  bool recording = true;

  // The first of that name, or "(none)".
  std::string field(std::string_view name) const {
    for (const Field& f : fields) {
      if (base::iequals(f.first, name)) return f.second;
    }
    return "(none)";
  }
  size_t count(std::string_view name) const {
    size_t n = 0;
    for (const Field& f : fields) n += base::iequals(f.first, name) ? 1 : 0;
    return n;
  }
  bool has(std::string_view name) const { return count(name) > 0; }
  // Forgets what was sent.
  void clear() {
    FakeCarrier fresh;
    fresh.can_write = can_write;
    fresh.connected = connected;
    fresh.recording = recording;
    *this = std::move(fresh);
  }

  void send_informational(int code, const Fields& list) override {
    check(status == 0, "informational after the head");
    informational.emplace_back(code, copy(list));
  }
  void send_head(const Response& response) override {
    check(status == 0, "two heads");
    status = response.status;
    length = response.body;
    fields = copy(response.fields);
  }
  void send_prepared(const PreparedResponse& response) override {
    ++prepared;
    last_prepared = &response;
    if (!recording) return;
    send_head(response.head);
    if (!response.body.empty()) send_body(response.body);
    send_end({});
  }
  void send_body(std::string_view bytes) override {
    check(status != 0 && !ended && !aborted, "a body out of turn");
    ++writes;
    if (tunnel || has_body()) body += bytes;
  }
  void send_body(base::Slice bytes) override { send_body(bytes.view()); }
  void send_body(base::FileRange range) override {
    ++files;
    // A description of its own: no position is shared, and http/ makes no system calls.
    std::ifstream in("/proc/self/fd/" + std::to_string(range.file.descriptor()), std::ios::binary);
    std::string bytes(range.length, '\0');
    in.seekg(static_cast<std::streamoff>(range.offset));
    in.read(bytes.data(), static_cast<std::streamsize>(range.length));
    if (static_cast<uint64_t>(in.gcount()) < range.length) return abort();  // F09
    send_body(std::string_view(bytes));
  }
  void send_end(const Fields& list) override {
    check(status != 0 && !ended && !aborted, "an end out of turn");
    check(!has_body() || length.kind != BodyKind::known || length.size == body.size(),
          "the body is not as long as the head says");
    trailers = copy(list);
    ended = true;
  }
  void abort() override { aborted = true; }
  void start_tunnel(const Response& response) override {
    send_head(response);
    tunnel = true;
  }
  bool writable() const override { return can_write; }
  bool alive() const override { return connected; }

 private:
  bool has_body() const { return !head_request && status_has_body(status); }
  static void check(bool good, const char* what) {
    if (!good) throw std::logic_error(what);
  }
  static std::vector<Field> copy(const Fields& list) {
    std::vector<Field> result;
    for (const http::Field& f : list.all()) result.emplace_back(f.name, f.value);
    return result;
  }
};

// An exchange with a request, as server/ would hand it to filters and handlers.
class FakeExchange {
 public:
  using List = std::vector<std::pair<std::string, std::string>>;

  FakeExchange(std::string_view method, std::string_view target, const List& fields = {})
      : exchange(blocks_, random_) {
    info.peer = base::Address::ipv4(0x7f000001, 40000);
    info.local = base::Address::ipv4(0x7f000001, 80);
    info.listener = "http";
    begin(method, target, fields);
  }

  ~FakeExchange() { cancel(); }
  FakeExchange(const FakeExchange&) = delete;
  FakeExchange& operator=(const FakeExchange&) = delete;

  // A further request on the same connection. Throws where the path is refused (the server answers
  // 400 before any filter).
  void begin(std::string_view method, std::string_view target, const List& fields = {}) {
    task_ = {};
    filter_task_ = {};
    verdict.reset();
    done_ = false;
    carrier.clear();
    carrier.head_request = method == "HEAD";
    exchange.begin(carrier, info);
    std::string_view query;
    const size_t mark = target.find('?');
    if (mark != target.npos) query = target.substr(mark + 1);
    // One run of bytes, as a received head is.
    head_ = std::string(method) + " " + std::string(target) + "\r\n";
    const size_t target_at = method.size() + 1;
    std::vector<std::pair<size_t, size_t>> at;
    for (const auto& [name, value] : fields) {
      at.emplace_back(head_.size(), head_.size() + name.size() + 2);
      head_ += name + ": " + value + "\r\n";
    }
    exchange.set_head(head_);
    const std::string_view head = head_;
    Request& r = exchange.request();
    r.method_text = head.substr(0, method.size());
    r.method = parse_method(r.method_text);
    r.scheme = "http";
    r.target = head.substr(target_at, target.size());
    r.raw_path = r.target.substr(0, mark);
    r.has_query = mark != target.npos;
    if (r.has_query) r.query = r.target.substr(mark + 1);
    path_.resize(r.raw_path.size());
    auto canonical = canonical_path(r.raw_path, path_.data());
    if (!canonical) throw std::invalid_argument(std::string(to_string(canonical.error())));
    r.path = *canonical;
    r.authority = r.host = "example.com";
    size_t i = 0;
    for (const auto& [name, value] : fields) {
      r.fields.add(head.substr(at[i].first, name.size()), head.substr(at[i].second, value.size()));
      ++i;
    }
  }

  void handle(Handler& handler) { run(handler.handle(exchange)); }
  void run(Outcome outcome) {
    done_ = outcome.done();
    if (done_) return;
    exchange.keep();
    task_ = outcome.take();
    task_.start([](void* self) { static_cast<FakeExchange*>(self)->done_ = true; }, this);
  }
  // The verdict is in `verdict` once done.
  void filter(Filter& filter) {
    FilterOutcome outcome = filter.filter(exchange);
    done_ = outcome.done();
    if (done_) {
      verdict = outcome.verdict();
      return;
    }
    exchange.keep();
    filter_task_ = outcome.take();
    task_ = await_filter();
    task_.start([](void* self) { static_cast<FakeExchange*>(self)->done_ = true; }, this);
  }
  bool done() const { return done_; }
  // The client goes away: what is under way is destroyed.
  void cancel() {
    carrier.connected = false;
    task_ = {};
    filter_task_ = {};
    done_ = true;
  }
  // The client takes more.
  void drain() {
    carrier.can_write = true;
    exchange.writable_signal().notify();
  }

 private:
  base::Task<> await_filter() { verdict = co_await filter_task_; }

  base::BlockPool blocks_{2 * 1024 - 64, 64};
  base::Random random_{{1, 2, 3, 4}};
  std::string head_;
  std::string path_;
  base::Task<Verdict> filter_task_;
  base::Task<> task_;
  bool done_ = false;

 public:
  ConnectionInfo info;
  FakeCarrier carrier;
  Exchange exchange;
  std::optional<Verdict> verdict;
};

}  // namespace http
