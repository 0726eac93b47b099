// The client's side of one HTTP/1.1 connection to an origin (RFC 9112), for proxy/.
//
// Requests are serialised from their parsed form (rule R1), never copied. One exchange at a time;
// the response's head is awaited, its body read through a BodyPipe without copying. After each
// exchange reusable() says whether the connection may be kept; while kept it watches for bytes or
// an end from the origin (P06) and then is no longer usable. Not for the control plane (libcurl).
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "base/task.h"
#include "http/body_pipe.h"
#include "http/message.h"
#include "io/loop.h"
#include "io/stream.h"

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

class ClientConnection {
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

  virtual ~ClientConnection() = default;
  // Takes a connected stream, or one that is connecting (requests are queued until it is).
  static std::unique_ptr<ClientConnection> create(io::Loop& loop, io::Stream::Pointer stream,
                                                  const ClientLimits& limits);

  // Sends a head. `fields` hold no framing or hop-by-hop names but Upgrade; Host is among them;
  // Content-Length or chunked, and Connection, are added here. `target` in origin form.
  virtual void send_head(std::string_view method, std::string_view target,
                         const http::Fields& fields, http::BodyLength body,
                         std::string_view upgrade) = 0;
  // The request's body; consumed within the call. Chunks are framed here. send_end() comes with every
  // request, also without a body.
  virtual void send_body(std::string_view bytes) = 0;
  virtual void send_end(const http::Fields& trailers) = 0;
  // Back-pressure towards the origin: false → await writable_signal().
  virtual bool writable() const = 0;
  virtual base::Signal& writable_signal() = 0;
  // Bytes of requests written to the kernel on this connection: zero means nothing can have
  // happened.
  virtual uint64_t sent() const = 0;

  // Waits for the final (or 101) head. Views stay valid until the exchange is over.
  virtual base::Task<std::expected<http::Response*, ClientError>> response_head(
      Informational* informational) = 0;
  // The response's body; after 101: what the origin sends, as it is, until it closes. For HEAD,
  // 204, 304 it ends at once. A body cut short fails with BodyError::closed (P04).
  virtual http::BodyPipe& body() = 0;
  // After 101: the raw stream's way to the origin; send_end() half-closes. No idle timeout any more:
  // whoever tunnels has one.
  virtual void become_tunnel() = 0;

  // Complete exchange, both sides willing to go on, nothing left over.
  virtual bool reusable() const = 0;
  // From the response's `Keep-Alive: timeout=N`, else zero (P12).
  virtual std::chrono::seconds keep_alive_hint() const = 0;
  virtual void keep(Keeper* keeper) = 0;  // idle in a pool; nullptr: in use again
  // At once. Whoever waits for the head or the body gets an error (closed), perhaps within the call.
  virtual void close() = 0;
};

}  // namespace http1
