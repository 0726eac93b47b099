// One request and its response: what handlers, filters and loggers see of HTTP.
//
// No version and no socket: a `Carrier` stands behind it. An exchange is answered at once
// (respond), streamed by a coroutine (start, write, finish), or becomes a tunnel. Views in the
// request are those of the received head until keep(), which the connection calls before it starts
// a `Task`: so a handler that answers at once copies nothing, and a coroutine may keep views.
//
// Belongs to a connection on one worker, which reuses it: everything is reset by begin().
// When the client goes away the connection destroys the task, and with it whatever it waits for.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/arena.h"
#include "base/file_range.h"
#include "base/random.h"
#include "base/slice.h"
#include "base/task.h"
#include "http/body_pipe.h"
#include "http/carrier.h"
#include "http/connection_info.h"
#include "http/message.h"
#include "http/prepared.h"

namespace http {

class Exchange;
class Route;

// Changes a response's head as it goes out; stateless, so registering costs no allocation. Hooks
// run in the reverse order of registration.
class ResponseHook {
 public:
  // May change exchange.response() and add a BodyTransform.
  virtual void on_response(Exchange& exchange) const = 0;

 protected:
  ~ResponseHook() = default;
};

// Changes the bytes of a body as they pass. Made for one response by a hook. One that can't go on
// aborts the exchange.
class BodyTransform {
 public:
  virtual ~BodyTransform() = default;
  // Appends the output for `bytes`, if any yet.
  virtual void transform(std::string_view bytes, std::string& out) = 0;
  // The rest.
  virtual void finish(std::string& out) = 0;
  // How long the output will be, where that is known before any input (a body that is replaced).
  virtual std::optional<uint64_t> size() const { return std::nullopt; }
};

// What the access log wants to know beyond the messages. Times are zero where they don't apply.
struct Timing {
  std::chrono::steady_clock::time_point begin{};  // first byte of the head
  std::chrono::nanoseconds upstream_connect{};
  std::chrono::nanoseconds upstream_first_byte{};
  std::chrono::nanoseconds upstream_total{};
};

class Exchange {
 public:
  Exchange(base::BlockPool& arena_blocks, base::Random& random)
      : arena_(arena_blocks), random_(random) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // For the connection: makes it new. `head` is the received bytes that request() views.
  void begin(Carrier& carrier, ConnectionInfo& connection);
  void set_head(std::string_view head) { head_ = head; }
  // Whether these bytes came from the client, rather than from a filter or the configuration.
  bool received(std::string_view bytes) const {
    return bytes.data() >= head_.data() && bytes.data() < head_.data() + head_.size();
  }
  // Copies the received head into the arena, once; false when it doesn't fit.
  bool keep();

  Request& request() { return request_; }
  const Request& request() const { return request_; }
  Response& response() { return response_; }
  const Response& response() const { return response_; }
  const ConnectionInfo& connection() const { return *connection_; }
  base::Arena& arena() { return arena_; }
  // The client: the peer, or what trusted proxies say of it.
  const base::Address& client() const { return client_; }
  void set_client(const base::Address& client) { client_ = client; }

  // Answers. Exactly one of: respond…, start … finish, start_tunnel; or abort.
  // response() holds status and fields; the body's length is that of what is given.
  void respond(base::Slice body);
  void respond(base::FileRange body);
  // A short page of its own for `status`, which also hooks see (error pages). Fields already in
  // response() stay.
  void respond(int status);
  // Where hooks are registered, or the log names fields, its own are copied: it need only live for
  // the call.
  void respond(const PreparedResponse& prepared);
  // The log will ask for fields of the response: response() must hold them to the end.
  void keep_response_fields() { response_fields_kept_ = true; }

  // Runs the hooks (once); after it transforms_body() is known. start() and respond() do it too.
  void run_hooks();
  bool transforms_body() const { return !transforms_.empty(); }
  // Sends the head; response().body says the length of what follows.
  void start();
  class Write;
  // Sends within the call (so a view need only live that long), then waits while the client is
  // slow. `if (!co_await exchange.write(bytes)) co_return;`: false when the client has gone.
  Write write(std::string_view bytes);
  Write write(base::Slice bytes);
  Write write(base::FileRange range);  // not where transforms_body()
  // The end of the body.
  void finish();
  void finish(const Fields& trailers);
  void abort();
  // For the connection: the client went away, or the answer was cut otherwise.
  void mark_aborted() { aborted_ = true; }
  void inform(int status, const Fields& fields) { carrier_->send_informational(status, fields); }
  void start_tunnel();

  // What was sent so far.
  bool started() const { return started_; }
  bool finished() const { return finished_; }
  bool aborted() const { return aborted_; }
  bool alive() const { return carrier_->alive(); }
  bool is_tunnel() const { return tunnel_; }
  uint64_t body_sent() const { return body_sent_; }
  // As logs say it: 499 where the client went away before it was answered (P15).
  int logged_status() const { return started_ || !aborted_ ? response_.status : 499; }

  // The request's body. Reading it sends 100 (Continue) when the client waits for that.
  BodyPipe& body() { return body_; }
  // 413 beyond; the smallest limit that was set holds.
  void limit_body(uint64_t size_max) { body_size_max_ = std::min(body_size_max_, size_max); }
  uint64_t body_size_max() const { return body_size_max_; }
  // For the carrier: output has room again.
  base::Signal& writable_signal() { return writable_; }

  void add_hook(const ResponseHook& hook) { hooks_.push_back(&hook); }
  void add_transform(std::unique_ptr<BodyTransform> transform) {
    transforms_.push_back(std::move(transform));
  }

  // Set on the way by the router and filters; read by templates, handlers and logs.
  struct Capture {
    std::string_view name;  // may be empty
    std::string_view value;
  };
  std::vector<Capture>& captures() { return captures_; }  // [0]: the whole match
  const std::vector<Capture>& captures() const { return captures_; }
  // Path prefix taken off by filters, for Location and cookies of origins.
  std::string_view stripped_prefix;
  std::string_view user;  // authenticated
  // 32 hexadecimal digits: taken over from a trusted proxy, or made at first use.
  std::string_view request_id();
  void set_request_id(std::string_view id) { request_id_ = id; }
  Timing timing;
  std::string_view upstream_address;
  int upstream_status = 0;
  int upstream_attempts = 0;
  bool upstream_failed = false;  // no origin answered
  // For the log, never for the client: why it failed.
  std::string_view error_detail;
  const Route* route = nullptr;
  void* tree = nullptr;  // what `route` is part of, kept until finished(): server/ knows its type

 private:
  friend class Write;
  void send_transformed(std::string_view bytes);

  Carrier* carrier_ = nullptr;
  ConnectionInfo* connection_ = nullptr;
  std::string_view head_;
  Request request_;
  Response response_;
  BodyPipe body_;
  base::Arena arena_;
  base::Random& random_;
  base::Address client_;
  base::Signal writable_;
  std::vector<const ResponseHook*> hooks_;
  std::vector<std::unique_ptr<BodyTransform>> transforms_;
  std::vector<Capture> captures_;
  std::string scratch_;
  std::string_view request_id_;
  uint64_t body_sent_ = 0;
  uint64_t body_size_max_ = UINT64_MAX;
  bool kept_ = false;
  bool hooked_ = false;
  bool started_ = false;
  bool finished_ = false;
  bool aborted_ = false;
  bool tunnel_ = false;
  bool response_fields_kept_ = false;
};

// Awaitable that waits while the client can't take more.
class Exchange::Write {
 public:
  explicit Write(Exchange& exchange) : exchange_(exchange), signal_(exchange.writable_) {}
  bool await_ready() {
    if (exchange_.carrier_->writable() || !exchange_.carrier_->alive()) return true;
    exchange_.writable_.reset();
    return false;
  }
  void await_suspend(std::coroutine_handle<> handle) { signal_.await_suspend(handle); }
  bool await_resume() {
    signal_.await_resume();
    return exchange_.carrier_->alive();
  }

 private:
  Exchange& exchange_;
  base::Signal::Awaiter signal_;
};

}  // namespace http
