// The server's side of one HTTP/1.1 connection (RFC 9112): requests in, responses out, in order.
//
// Bytes come from an io::Stream (cleartext or TLS, it can't tell); each request becomes an Exchange
// for the Service. One exchange at a time: what is pipelined behind waits in the stream. An answer
// that is ready at once is written within the call, so pipelined requests leave in one send.
// Framing errors: rule R0 of the attack catalogue (answer, Connection: close, lingering close).
// A client that closes its side while its complete request waits for an answer is taken for gone,
// and the exchange cancelled; one that does so while it receives a ready answer, or in a tunnel, is
// not. Bodies, answers and the tunnel are in server_body.cc and server_response.cc.
// Owned by server/connection through `Owner`; lives on one worker.
#pragma once

#include <memory>
#include <string_view>

#include "base/task.h"
#include "http/carrier.h"
#include "http/connection_info.h"
#include "http/date_cache.h"
#include "http/exchange_pool.h"
#include "http/handler.h"
#include "http/limits.h"
#include "http1/body_clock.h"
#include "http1/chunked_decoder.h"
#include "http1/request_parser.h"
#include "http1/serializer.h"
#include "io/stream.h"
#include "io/timer.h"

namespace http1 {

// What a connection works with; outlives it.
struct ServerContext {
  http::Service& service;
  const http::Limits& limits;
  http::ExchangePool& exchanges;
  http::DateCache& dates;
};

class ServerConnection final : public io::Disposable,
                               public io::StreamUser,
                               public http::Carrier,
                               public http::BodyPipe::Producer {
 public:
  // Told once when the connection is over; it then gives it to the loop's dispose().
  struct Owner {
    virtual void on_closed(ServerConnection& connection) = 0;

   protected:
    ~Owner() = default;
  };

  ServerConnection(const ServerContext& context, http::ConnectionInfo& info,
                   io::Stream::Pointer stream, Owner& owner);
  ~ServerConnection() override;
  // Bytes that the stream kept (read before this connection took over) are delivered to it.
  static std::unique_ptr<ServerConnection> create(const ServerContext& context,
                                                  http::ConnectionInfo& info,
                                                  io::Stream::Pointer stream, Owner& owner) {
    return std::make_unique<ServerConnection>(context, info, std::move(stream), owner);
  }

  // Finishes the exchange under way, answers nothing more, `Connection: close`; idle: closes now.
  void drain();
  // Ends at once; the owner is not told.
  void close();
  // No request in sight: may be closed to make room.
  bool idle() const { return state_ == State::reading && exchange_ == nullptr; }

 private:
  enum class State : uint8_t {
    reading,   // a head, or nothing yet
    serving,   // an exchange
    dropping,  // the rest of a body that nobody wanted (S04)
    tunnel,
    closed,
  };
  enum class Ending : uint8_t { silent, reset, linger };

  // io::StreamUser
  size_t on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_hangup() override;
  void on_writable() override;
  void on_progress() override;
  void on_failed(const io::Error& error) override;
  // http::Carrier
  void send_informational(int status, const http::Fields& fields) override;
  void send_head(const http::Response& response) override;
  void send_prepared(const http::PreparedResponse& response) override;
  void send_body(std::string_view bytes) override;
  void send_body(base::Slice bytes) override;
  void send_body(base::FileRange range) override;
  void send_end(const http::Fields& trailers) override;
  void abort() override;
  void start_tunnel(const http::Response& response) override;
  bool writable() const override { return stream_ != nullptr && stream_->writable(); }
  bool alive() const override { return state_ != State::closed; }
  // http::BodyPipe::Producer
  void want_body() override;

  // server_connection.cc: the life of an exchange.
  size_t read_head(std::string_view bytes);
  void begin_exchange();
  bool acceptable(std::string_view head);
  void serve(std::string_view head, bool more);
  void complete();
  void finish_exchange();
  void next_request();
  void give_back_exchange();
  [[gnu::cold]] void refuse(const ParseError& error, std::string_view bytes);
  void end(Ending ending);
  void run_deferred();
  void wrap_up();
  void keep_for_report();
  void report();
  void on_timer();
  void arm();

  // server_body.cc: the request's body, and the tunnel's way in.
  void begin_body();
  size_t read_body(std::string_view bytes);
  size_t read_known(std::string_view bytes);
  size_t read_chunked(std::string_view bytes);
  size_t read_tunnel(std::string_view bytes);
  size_t drop_body(std::string_view bytes);
  void begin_dropping();
  void keep_trailers(std::string_view section);
  bool over_limit(uint64_t more) const;
  void body_ended();
  void body_failed(http::BodyError error);
  bool receiving() const { return clock_.running(); }

  // server_response.cc: the answer.
  ResponseContext begin_response();
  template <typename Body>
  void send_any(Body body, uint64_t size);
  void after_output();

  const ServerContext context_;
  http::ConnectionInfo& info_;
  Owner& owner_;
  io::Loop& loop_;
  io::Stream::Pointer stream_;
  std::unique_ptr<http::Exchange> exchange_;  // from the first byte of a head on
  base::Task<> task_;                         // what answers it, if not done at once
  io::Deferred deferred_;
  io::Timer timer_;
  io::Time send_deadline_ = io::Time::max();  // without progress (D03)
  BodyClock clock_;
  RequestParser parser_;
  ChunkedDecoder decoder_;
  uint64_t body_left_ = 0;  // of a request's body of known length; while dropping: may be dropped
  uint64_t response_left_ = 0;  // of a response's body of known length
  uint32_t requests_ = 0;
  State state_ = State::reading;
  Transfer transfer_ = Transfer::none;
  http::BodyError body_error_ = http::BodyError::none;  // to be told to the reader later
  bool keep_alive_ = true;
  bool draining_ = false;
  bool task_ended_ = false;
  bool reported_ = true;  // Service::finished was called, or nothing was served
  bool owner_told_ = false;
  bool hangup_ = false;         // the client closed its side; bytes may still wait
  bool input_ended_ = false;    // and they were all delivered
  bool request_ended_ = true;   // its body is complete
  bool chunked_ = false;        // its framing
  bool body_asked_ = false;     // somebody began to read it
  bool continue_owed_ = false;  // the client waits for 100 (Continue)
  bool head_sent_ = false;
  bool response_ended_ = false;
  bool awaiting_output_ = false;  // answered, but too much is queued to go on
  bool head_request_ = false;
  bool http10_ = false;
};

static_assert(sizeof(ServerConnection) < 768, "an idle connection pays for it");

}  // namespace http1
