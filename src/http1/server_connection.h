// The server's side of one HTTP/1.1 connection (RFC 9112): requests in, responses out, in order.
//
// Bytes come from an io::Stream (cleartext or TLS, it can't tell); each request becomes an Exchange
// for the Service. One exchange at a time: what is pipelined behind waits in the stream. An answer
// that is ready at once is written within the call, so pipelined requests leave in one send.
// Framing errors: rule R0 of the attack catalogue (answer, Connection: close, lingering close).
// Owned by server/connection through `Owner`; lives on one worker.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "http/carrier.h"
#include "http/connection_info.h"
#include "http/exchange_pool.h"
#include "http/handler.h"
#include "http/limits.h"
#include "io/stream.h"
#include "io/timer.h"

namespace http1 {

// What the connections of a worker share.
struct ServerContext {
  http::Service& service;
  const http::Limits& limits;
  http::ExchangePool& exchanges;
};

class ServerConnection {
 public:
  // Told when the connection is over; it then gives it to the loop's dispose().
  struct Owner {
    virtual void on_closed(ServerConnection& connection) = 0;

   protected:
    ~Owner() = default;
  };

  virtual ~ServerConnection() = default;
  // Bytes that the stream kept (read before this connection took over) are delivered to it.
  static std::unique_ptr<ServerConnection> create(const ServerContext& context,
                                                  http::ConnectionInfo& info,
                                                  io::Stream::Pointer stream, Owner& owner);
  // Finishes the exchange under way, answers nothing more, `Connection: close`; idle: closes now.
  virtual void drain() = 0;
  // Ends at once.
  virtual void close() = 0;
  // No request in sight: may be closed to make room.
  virtual bool idle() const = 0;
};

}  // namespace http1
