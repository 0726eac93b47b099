#include <algorithm>

#include "http1/server_connection.h"

// What comes behind a head: a request's body, on demand or dropped, and what goes into a tunnel.

namespace http1 {

void ServerConnection::begin_body() {
  const http::BodyLength& body = exchange_->request().body;
  chunked_ = body.kind != http::BodyKind::known;
  body_left_ = body.size;
  body_asked_ = false;
  body_error_ = http::BodyError::none;
  if (chunked_) decoder_.reset();
  clock_.reset();
  exchange_->body().attach(this);
}

// Called by the reader while it suspends: nothing is told to it before this has returned.
void ServerConnection::want_body() {
  if (state_ == State::tunnel) {
    if (stream_->reading_paused()) stream_->resume_reading();
    return;
  }
  if (state_ != State::serving || request_ended_) return;
  if (!std::exchange(body_asked_, true)) {
    if (!chunked_ && over_limit(body_left_)) {  // and no 100 (S28)
      body_error_ = http::BodyError::too_large;
      keep_alive_ = false;
      return loop_.defer(deferred_);
    }
    if (continue_owed_ && !head_sent_) stream_->write("HTTP/1.1 100 Continue\r\n\r\n");
    continue_owed_ = false;
  }
  if (input_ended_) {
    body_error_ = http::BodyError::closed;
    return loop_.defer(deferred_);
  }
  if (!clock_.running()) {
    clock_.start(loop_.now());
    arm();
  }
  if (stream_->reading_paused()) stream_->resume_reading();
}

bool ServerConnection::over_limit(uint64_t more) const {
  uint64_t size_max = std::min(exchange_->body_size_max(), context_.limits.body_size_max);
  return more > size_max || exchange_->body().received() > size_max - more;
}

size_t ServerConnection::read_body(std::string_view bytes) {
  size_t taken = 0;
  if (!request_ended_ && exchange_->body().awaited()) {
    taken = chunked_ ? read_chunked(bytes) : read_known(bytes);
  }
  if (state_ != State::serving) return taken;
  if (request_ended_ || !exchange_->body().awaited()) {
    clock_.stop(loop_.now());
    stream_->pause_reading();
  }
  if (!task_ended_) arm();
  return taken;
}

size_t ServerConnection::read_known(std::string_view bytes) {
  bytes = bytes.substr(0, std::min<uint64_t>(body_left_, bytes.size()));
  if (over_limit(bytes.size())) {
    body_failed(http::BodyError::too_large);
    return bytes.size();
  }
  body_left_ -= bytes.size();
  request_ended_ = body_left_ == 0;
  clock_.received(bytes.size(), loop_.now());
  exchange_->body().push(bytes);
  if (request_ended_) body_ended();
  return bytes.size();
}

size_t ServerConnection::read_chunked(std::string_view bytes) {
  http::BodyPipe& pipe = exchange_->body();
  size_t taken = 0;
  while (state_ == State::serving && pipe.awaited()) {
    auto [status, framing, size] = decoder_.step(bytes.substr(taken), pipe.trailers());
    std::string_view section = bytes.substr(taken, framing);
    taken += framing;
    switch (status) {
      case ChunkedDecoder::Status::need_more:
        if (framing > 0) clock_.received(0, loop_.now());
        return taken;
      case ChunkedDecoder::Status::error:
        body_failed(http::BodyError::malformed);
        return bytes.size();
      case ChunkedDecoder::Status::done:
        keep_trailers(section);
        request_ended_ = true;
        body_ended();
        return taken;
      case ChunkedDecoder::Status::data:
        break;
    }
    if (over_limit(size)) {
      body_failed(http::BodyError::too_large);
      return bytes.size();
    }
    std::string_view data = bytes.substr(taken, size);
    decoder_.advance(size);
    taken += size;
    clock_.received(size, loop_.now());
    pipe.push(data);
  }
  return taken;
}

// Trailers view the input; their reader looks at them when it wants.
void ServerConnection::keep_trailers(std::string_view section) {
  http::Fields& trailers = exchange_->body().trailers();
  if (trailers.empty()) return;
  std::string_view copy = exchange_->arena().copy(section);
  if (copy.empty()) return trailers.clear();
  trailers.rebase(section.data(), section.size(), copy.data());
}

void ServerConnection::body_ended() {
  clock_.stop(loop_.now());
  if (state_ != State::serving) return;
  exchange_->body().end();
  // The client had closed its side behind the body: see on_hangup().
  if (hangup_ && state_ == State::serving && !task_ended_ && !response_ended_) on_hangup();
}

// The reader answers, or complete() does. There is no next request: where would it begin?
void ServerConnection::body_failed(http::BodyError error) {
  keep_alive_ = false;
  clock_.stop(loop_.now());
  stream_->pause_reading();
  exchange_->body().fail(error);
}

// S04: what a handler left of a body never becomes a request.
void ServerConnection::begin_dropping() {
  state_ = State::dropping;
  const uint64_t size_max = context_.limits.linger_size_max;
  if (body_error_ != http::BodyError::none || exchange_->body().error() != http::BodyError::none ||
      input_ended_ || (!chunked_ && body_left_ > size_max)) {
    return end(Ending::linger);
  }
  if (chunked_) body_left_ = size_max;
  timer_.set_after(context_.limits.linger_timeout);
  if (stream_->reading_paused()) stream_->resume_reading();
}

size_t ServerConnection::drop_body(std::string_view bytes) {
  if (!chunked_) {
    size_t size = std::min<uint64_t>(body_left_, bytes.size());
    body_left_ -= size;
    if (body_left_ == 0) next_request();
    return size;
  }
  size_t taken = 0;
  while (taken < bytes.size()) {
    auto [status, framing, size] = decoder_.step(bytes.substr(taken), exchange_->body().trailers());
    taken += framing;
    if (status == ChunkedDecoder::Status::need_more) return taken;
    if (status == ChunkedDecoder::Status::done) {
      next_request();
      return taken;
    }
    if (status == ChunkedDecoder::Status::error || size + framing > body_left_) {
      end(Ending::linger);
      return bytes.size();
    }
    body_left_ -= size + framing;
    decoder_.advance(size);
    taken += size;
  }
  return taken;
}

size_t ServerConnection::read_tunnel(std::string_view bytes) {
  size_t size = exchange_->body().push(bytes);
  if (state_ == State::tunnel && !exchange_->body().awaited()) stream_->pause_reading();
  return size;
}

}  // namespace http1
