#include "proxy/read_ahead.h"

namespace proxy {

namespace {
// One write to the client: what its stream takes without queueing much.
constexpr std::size_t kPieceSize = 64 * 1024;
}  // namespace

base::Task<http::BodyError> ReadAhead::relay(http::Exchange& exchange) {
  task_ = fill(exchange);
  task_.start(&on_done, this);
  for (;;) {
    while (!buffer_.empty()) {
      std::string_view piece = buffer_.view().substr(0, kPieceSize);
      http::Exchange::Write write = exchange.write(piece);
      buffer_.consume(piece.size());
      room_.notify();
      if (!co_await write) co_return http::BodyError::none;
    }
    if (ended_) co_return error_;
    co_await progress_.wait();
  }
}

base::Task<> ReadAhead::fill(http::Exchange& exchange) {
  http::BodyPipe& body = lease_->body();
  http::BodyPart part;
  while ((part = co_await body.read())) {
    // A part that doesn't fit goes beyond the limit, by no more than the loop's read buffer: its
    // bytes are gone once we wait.
    buffer_.append(part.bytes);
    wake();
    while (buffer_.size() >= size_max_) co_await room_.wait();
  }
  error_ = part.error;
  if (part.error == http::BodyError::none) {
    for (const http::Field& field : body.trailers().all()) {
      trailers_.add(exchange.arena().copy(field.name), exchange.arena().copy(field.value));
    }
    // P10: a response that is over ends an upload that isn't, before its connection goes.
    upload_.stop();
    lease_.give_back();
  }
}

void ReadAhead::wake() {
  if (progress_.awaited()) loop_.defer(ready_);
}

void ReadAhead::on_done(void* self) {
  auto& ahead = *static_cast<ReadAhead*>(self);
  ahead.ended_ = true;
  ahead.wake();
}

void ReadAhead::on_ready(void* self) { static_cast<ReadAhead*>(self)->progress_.notify(); }

}  // namespace proxy
