// One request on its way through the proxy: what was tried, what it holds, and what may follow from
// a failure. The coroutines are the handler's (proxy/proxy_handler.h).
//
// When it may be sent again (P02; RFC 9110 9.2.2, RFC 9112 9.3.1): never once a byte of the body
// was taken from the client, unless all of it is in memory; never once a byte of the response has
// come; otherwise if nothing of it reached the kernel, or its method is idempotent. A kept
// connection that the origin closed under our hands is no failure of the endpoint: then, once, a
// fresh connection to the same one. Lives in the frame of the exchange's task.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "http/exchange.h"
#include "http1/client_connection.h"
#include "io/timer.h"
#include "proxy/options.h"
#include "proxy/pool.h"
#include "proxy/upload.h"
#include "upstream/connector.h"

namespace proxy {

class Passage final : public http1::ClientConnection::Informational {
 public:
  // Tries of one request, whatever the options say: a request must not visit hundreds of endpoints.
  static constexpr std::uint32_t kTriesMax = 16;

  Passage(http::Exchange& exchange, const Options& options, const upstream::Group& group,
          io::Loop& loop);
  ~Passage();

  // Why the request can't be passed on at all, as the status of an answer; 0: it can.
  int refusal();
  // The protocol that client and origin may switch to; empty: none.
  std::string_view upgrade() const { return upgrade_; }
  bool has_body() const { return !exchange_.request().body.empty(); }

  // --- tries ---
  bool tries_left() const { return tries_ < tries_max_; }
  void begin_try(Pool& pool, bool fresh);
  std::span<const upstream::Endpoint* const> tried() const { return {tried_.data(), tried_count_}; }
  Pool& pool() const { return *pool_; }
  bool wants_fresh() const { return stale_; }
  io::Duration connect_timeout() const;
  // The lease has a connection and the request is about to be sent on it.
  void begin_request();
  void end_try() { try_timer_.cancel(); }

  // --- failures: true: go on with another try; false: answered, or cut ---
  [[gnu::cold]] bool connect_failed(const upstream::ConnectError& error);
  [[gnu::cold]] bool response_failed(const http1::ClientError& error);
  // The client's body can't be read to its end: its own fault.
  [[gnu::cold]] void fail_body(http::BodyError error);
  // No endpoint is left to try.
  [[gnu::cold]] void unchosen();

  // Answers with `status`, or cuts the response that has begun. `detail` is for the log alone.
  [[gnu::cold]] void fail(int status, std::string_view detail);
  void head_received(int status);

  void on_informational(int status, const http::Fields& fields) override;

  Lease lease;
  Upload upload;            // destroyed before the lease
  base::Buffer kept_body;   // buffer_request
  bool kept_whole = false;  // all of the body is in kept_body

 private:
  bool replayable() const;
  bool may_repeat() const;
  void mark_failure();
  void fail_unanswered();
  static void on_try_timeout(void* self);

  http::Exchange& exchange_;
  const Options& options_;
  const upstream::GroupOptions& group_;
  io::Loop& loop_;
  std::string_view upgrade_;
  Pool* pool_ = nullptr;
  std::array<const upstream::Endpoint*, kTriesMax> tried_;
  std::size_t tried_count_ = 0;
  std::uint32_t tries_ = 0;
  const std::uint32_t tries_max_;
  bool stale_ = false;       // a kept connection failed: the next must be fresh
  bool stale_used_ = false;  // that was so already
  bool timed_out_ = false;   // this try
  std::uint64_t sent_before_ = 0;
  int failure_status_ = 503;
  std::string_view failure_detail_;
  io::Time begun_;
  io::Time try_begun_{};
  io::Time sent_at_{};
  io::Timer try_timer_;
};

}  // namespace proxy
