// The client's side of one HTTP/1.1 connection to an origin (RFC 9112), for proxy/.
//
// Requests are serialised from their parsed form (rule R1), never copied. One exchange at a time;
// the response's head is awaited, its body read through a BodyPipe without copying. After each
// exchange reusable() says whether the connection may be kept; while kept it watches for bytes or
// an end from the origin (P06) and then is no longer usable. Not for the control plane (libcurl).
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/task.h"
#include "http/body_pipe.h"
#include "http/message.h"
#include "http1/chunked_decoder.h"
#include "http1/response_parser.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/timer.h"

namespace http1 {

struct ClientError {
  enum class Kind : uint8_t {
    closed,     // before the head was complete
    malformed,  // 502 (P07); detail says what
    timeout,    // 504
    too_large,  // the head exceeds the limit: 502
    failed,     // the socket or TLS
  };
  Kind kind = Kind::closed;
  // No byte of the response had come: the request may be repeated where that is safe (P02).
  bool nothing_received = true;
  std::string detail;
};

struct ClientLimits {
  uint32_t head_size_max = 64 * 1024;
  uint32_t fields_max = 200;
  uint32_t informational_max = 16;  // P08
  std::chrono::nanoseconds first_byte_timeout = std::chrono::seconds(60);
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(60);
};

class ClientConnection final : public io::Disposable,
                               public io::StreamUser,
                               public http::BodyPipe::Producer {
 public:
  // Told of 1xx other than 100 and 101 (P08) while a response's head is awaited.
  struct Informational {
    virtual void on_informational(int status, const http::Fields& fields) = 0;

   protected:
    ~Informational() = default;
  };
  // Told when a kept connection becomes unusable (closed by the origin, or bytes nobody asked for).
  struct Keeper {
    virtual void on_unusable(ClientConnection& connection) = 0;

   protected:
    ~Keeper() = default;
  };

  ClientConnection(io::Loop& loop, io::Stream::Pointer stream, const ClientLimits& limits);
  ~ClientConnection() override;
  // Takes a connected stream, or one that is connecting (requests are queued until it is). What
  // calls of its own lead to its end must give it to the loop's dispose().
  static std::unique_ptr<ClientConnection> create(io::Loop& loop, io::Stream::Pointer stream,
                                                  const ClientLimits& limits) {
    return std::make_unique<ClientConnection>(loop, std::move(stream), limits);
  }

  // Sends a head. `fields` hold no framing or hop-by-hop names but Upgrade; Host is among them;
  // Content-Length or chunked, and Connection, are added here. `target` in origin form.
  void send_head(std::string_view method, std::string_view target, const http::Fields& fields,
                 http::BodyLength body, std::string_view upgrade);
  // The request's body; consumed within the call. Chunks are framed here. send_end() comes with
  // every request, also without a body.
  void send_body(std::string_view bytes);
  void send_end(const http::Fields& trailers);
  // Back-pressure towards the origin: false → await writable_signal(). True once it has failed.
  bool writable() const { return over_ || stream_->writable(); }
  base::Signal& writable_signal() { return writable_; }
  // Bytes of requests written to the kernel on this connection: what was there before send_head()
  // means nothing can have happened.
  uint64_t sent() const { return stream_->sent(); }

  // Waits for the final (or 101) head. Views stay valid until the exchange is over.
  class ResponseHead;
  ResponseHead response_head(Informational* informational);
  // The bytes that the response's fields view.
  std::string_view head_text() const { return text_.view(); }
  // The response's body; after 101: what the origin sends, as it is, until it closes. For HEAD,
  // 204, 304 it ends at once. A body cut short fails with BodyError::closed (P04).
  http::BodyPipe& body() { return pipe_; }
  // After 101: the raw stream's way to the origin; send_end() half-closes. No idle timeout any
  // more: whoever tunnels has one.
  void become_tunnel();

  // Complete exchange, both sides willing to go on, nothing left over.
  bool reusable() const;
  // From the response's `Keep-Alive: timeout=N`, else zero (P12).
  std::chrono::seconds keep_alive_hint() const { return keep_alive_hint_; }
  void keep(Keeper* keeper);  // idle in a pool; nullptr: in use again
  // At once. Whoever waits for the head or the body gets an error (closed), later in the turn.
  void close();

 private:
  enum class State : uint8_t {
    idle,      // no request, or only the response's end has come
    head,      // a response is awaited
    body,      // and its body read
    switched,  // 101 has come; bytes wait for become_tunnel()
    tunnel,
  };

  // io::StreamUser
  size_t on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_hangup() override;
  void on_writable() override { writable_.notify(); }
  void on_progress() override { last_progress_ = loop_.now(); }
  void on_failed(const io::Error& error) override;
  // http::BodyPipe::Producer
  void want_body() override;

  size_t read_head(std::string_view bytes);
  bool accept_interim();
  void accept_head(std::string_view bytes);
  size_t read_body(std::string_view bytes);
  size_t read_known(std::string_view bytes);
  size_t read_chunked(std::string_view bytes);
  size_t read_raw(std::string_view bytes);
  void keep_trailers(std::string_view section);
  void finish_response(bool excess);
  [[gnu::cold]] void fail(ClientError::Kind kind, http::BodyError body_error,
                          std::string_view detail);
  void end();
  void on_timer();
  void run_deferred();

  io::Loop& loop_;
  io::Stream::Pointer stream_;
  const ClientLimits limits_;
  Keeper* keeper_ = nullptr;
  Informational* informational_ = nullptr;
  io::Timer timer_;
  io::Deferred deferred_;
  io::Time last_progress_{};  // in either direction
  base::Signal writable_;
  base::Signal head_;
  ResponseParser parser_;
  ChunkedDecoder decoder_;
  http::Response response_;
  http::BodyPipe pipe_;
  base::Buffer text_;      // of the response's head
  base::Buffer trailers_;  // their text
  std::string upgrade_;    // the protocol asked for
  ClientError error_;
  uint64_t request_left_ = 0;  // of a request's body of known length
  uint64_t body_left_ = 0;     // of a response's
  uint64_t sent_before_ = 0;   // this request
  uint64_t received_before_ = 0;
  std::chrono::seconds keep_alive_hint_{};
  uint32_t interim_ = 0;
  State state_ = State::idle;
  http::Method method_ = http::Method::get;
  http::BodyKind framing_ = http::BodyKind::none;  // of the response's body
  bool request_chunked_ = false;
  bool request_ended_ = true;
  bool head_received_ = false;
  bool response_ended_ = true;
  bool keep_alive_ = true;
  bool over_ = false;  // failed or closed
};

// `co_await connection.response_head(…)`: a response, or why there is none.
class ClientConnection::ResponseHead {
 public:
  using Result = std::expected<http::Response*, ClientError>;
  ResponseHead(ClientConnection& connection, Informational* informational)
      : connection_(connection), awaiter_(connection.head_), informational_(informational) {}
  bool await_ready();
  void await_suspend(std::coroutine_handle<> handle) { awaiter_.await_suspend(handle); }
  Result await_resume();

 private:
  ClientConnection& connection_;
  base::Signal::Awaiter awaiter_;
  Informational* informational_;
};

inline ClientConnection::ResponseHead ClientConnection::response_head(
    Informational* informational) {
  return {*this, informational};
}

}  // namespace http1
