#include "proxy/upload.h"

namespace proxy {

void Upload::start(http::Exchange& exchange, http1::ClientConnection& connection) {
  connection_ = &connection;
  running_ = true;
  error_ = http::BodyError::none;
  last_bytes_ = loop_.now();
  over_.reset();
  task_ = pump(exchange);
  task_.start(&on_done, this);
}

void Upload::stop() {
  running_ = false;
  settled_.cancel();
  task_ = {};
}

base::Task<> Upload::pump(http::Exchange& exchange) {
  http::BodyPipe& body = exchange.body();
  http::BodyPart part;
  while ((part = co_await body.read())) {
    last_bytes_ = loop_.now();
    connection_->send_body(part.bytes);
    while (!connection_->writable()) co_await connection_->writable_signal().wait();
  }
  error_ = part.error;
  if (part.end) connection_->send_end(body.trailers());
}

void Upload::on_done(void* self) {
  auto& upload = *static_cast<Upload*>(self);
  upload.running_ = false;
  upload.loop_.defer(upload.settled_);
}

void Upload::on_settled(void* self) {
  auto& upload = *static_cast<Upload*>(self);
  if (upload.error_ != http::BodyError::none) upload.connection_->close();
  upload.over_.notify();
}

}  // namespace proxy
