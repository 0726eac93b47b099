// What a version of HTTP does for an exchange: the other half of `Exchange`.
//
// Implemented by the server connection of HTTP/1.1 and by the streams of HTTP/2 and HTTP/3, and by
// a fake in tests. Called by Exchange alone, in this order: send_informational*, then send_head or
// send_prepared or start_tunnel, send_body*, send_end | abort.
#pragma once

#include <string_view>

#include "base/file_range.h"
#include "base/slice.h"
#include "http/fields.h"
#include "http/message.h"
#include "http/prepared.h"

namespace http {

class Carrier {
 public:
  virtual void send_informational(int status, const Fields& fields) = 0;
  // The head. The carrier adds Date, framing and connection fields, and for HEAD, 204, 304 sends no
  // body though the head says its length. What does not fit the version is left out.
  virtual void send_head(const Response& response) = 0;
  // Head and body, complete.
  virtual void send_prepared(const PreparedResponse& response) = 0;
  virtual void send_body(std::string_view bytes) = 0;
  virtual void send_body(base::Slice bytes) = 0;
  virtual void send_body(base::FileRange range) = 0;
  // The end of the body; `trailers` may be empty.
  virtual void send_end(const Fields& trailers) = 0;
  // Cuts a response that can't be completed, so that the peer sees it is not whole (P04): a closed
  // connection without the last chunk, RST_STREAM, or a reset. Before the head: 502 is up to the
  // caller.
  virtual void abort() = 0;
  // 101 (or 200 to an extended CONNECT) with these fields; from here on the request's body pipe
  // gives what the client sends, send_body goes to it as it is, send_end half-closes.
  virtual void start_tunnel(const Response& response) = 0;
  // False while more is queued than a connection may hold: Exchange::writable_signal() is notified
  // when that ends.
  virtual bool writable() const = 0;
  // False when the client has gone: nothing that is sent arrives.
  virtual bool alive() const = 0;

 protected:
  ~Carrier() = default;
};

}  // namespace http
