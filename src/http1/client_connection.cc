#include "http1/client_connection.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "http1/serializer.h"

// Requests, the connection's states and its end. What an origin sends is read in
// client_response.cc.

namespace http1 {

ClientConnection::ClientConnection(io::Loop& loop, io::Stream::Pointer stream,
                                   const ClientLimits& limits)
    : loop_(loop),
      stream_(std::move(stream)),
      limits_(limits),
      timer_(
          loop, [](void* self) { static_cast<ClientConnection*>(self)->on_timer(); }, this),
      deferred_([](void* self) { static_cast<ClientConnection*>(self)->run_deferred(); }, this) {
  stream_->set_user(this);
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::send_head(std::string_view method, std::string_view target,
                                 const http::Fields& fields, http::BodyLength body,
                                 std::string_view upgrade) {
  method_ = http::parse_method(method);
  upgrade_ = upgrade;
  parser_.reset();
  response_.fields.clear();
  pipe_.attach(this);
  interim_ = 0;
  request_chunked_ =
      body.kind == http::BodyKind::unknown || body.kind == http::BodyKind::until_close;
  request_left_ = body.size;
  request_ended_ = head_received_ = response_ended_ = false;
  keep_alive_ = true;
  keep_alive_hint_ = {};
  state_ = State::head;
  sent_before_ = stream_->sent();
  received_before_ = stream_->received();
  last_progress_ = loop_.now();
  if (over_) return;  // as response_head() will tell
  error_ = {};
  char* out = stream_->prepare_write(request_head_bound(method, target, fields, upgrade));
  size_t size = write_request_head(out, method, target, fields, body, upgrade);
  stream_->commit_write(size);
  if (size > 0) return;
  error_ = {ClientError::Kind::malformed, true, "a target or method that can't be sent"};
  end();
}

void ClientConnection::send_body(std::string_view bytes) {
  if (over_ || bytes.empty()) return;
  last_progress_ = loop_.now();
  if (state_ == State::tunnel) return stream_->write(bytes);
  if (request_ended_) return;
  if (!request_chunked_) {
    // More than the head said would be taken for the next request.
    bytes = bytes.substr(0, std::min<uint64_t>(request_left_, bytes.size()));
    request_left_ -= bytes.size();
    return stream_->write(bytes);
  }
  char* out = stream_->prepare_write(kChunkHeadMax);
  stream_->commit_write(write_chunk_head(out, bytes.size()));
  stream_->write(bytes);
  stream_->write("\r\n");
}

void ClientConnection::send_end(const http::Fields& trailers) {
  if (over_) return;
  last_progress_ = loop_.now();
  if (state_ == State::tunnel) return stream_->end();
  if (request_ended_) return;
  if (request_chunked_) {
    char* out = stream_->prepare_write(trailers_bound(trailers));
    stream_->commit_write(write_trailers(out, trailers));
  } else if (request_left_ > 0) {
    return close();  // a request cut short must not look complete
  }
  request_ended_ = true;
}

void ClientConnection::become_tunnel() {
  if (state_ != State::switched) return;
  state_ = State::tunnel;
  request_ended_ = true;
  timer_.cancel();
  pipe_.attach(this);
  if (over_) {
    pipe_.fail(http::BodyError::closed);
  } else if (stream_->reading_paused()) {
    stream_->resume_reading();
  }
}

bool ClientConnection::reusable() const {
  return !over_ && state_ == State::idle && request_ended_ && response_ended_ && keep_alive_ &&
         stream_->queued() == 0;
}

void ClientConnection::keep(Keeper* keeper) {
  keeper_ = keeper;
  timer_.cancel();
  if (keeper == nullptr) return;
  // Buffers of an unusually large head are not kept by an idle connection.
  if (text_.size() + text_.writable() > 4096) text_.release();
  trailers_.release();
  if (stream_->reading_paused()) stream_->resume_reading();
}

void ClientConnection::close() {
  if (over_) return;
  if (error_.detail.empty()) error_.detail = "closed on our side";
  error_.nothing_received = stream_->received() == received_before_;
  end();
  if (head_.awaited() || writable_.awaited() || pipe_.awaited()) loop_.defer(deferred_);
}

// Nothing more comes or goes. Nobody is told yet.
void ClientConnection::end() {
  over_ = true;
  keep_alive_ = false;
  timer_.cancel();
  stream_->close();
}

void ClientConnection::fail(ClientError::Kind kind, http::BodyError body_error,
                            std::string_view detail) {
  if (over_) return;
  error_ = {kind, stream_->received() == received_before_, std::string(detail)};
  end();
  if (Keeper* keeper = std::exchange(keeper_, nullptr)) return keeper->on_unusable(*this);
  if (!head_received_) head_.notify();
  pipe_.fail(body_error);
  writable_.notify();
}

void ClientConnection::run_deferred() {
  if (!head_received_) head_.notify();
  pipe_.fail(http::BodyError::closed);
  writable_.notify();
}

void ClientConnection::on_end() {
  switch (state_) {
    case State::body:
      if (framing_ != http::BodyKind::until_close) break;
      finish_response(false);
      keep_alive_ = false;
      return pipe_.end();
    case State::tunnel:
      return pipe_.end();
    case State::head:
      return fail(ClientError::Kind::closed, http::BodyError::closed,
                  stream_->received() == received_before_ ? "closed before the response"
                                                          : "closed inside the response's head");
    case State::idle:
    case State::switched:
      break;
  }
  fail(ClientError::Kind::closed, http::BodyError::closed, "closed by the origin");
}

void ClientConnection::on_hangup() {
  if (keeper_ != nullptr) fail(ClientError::Kind::closed, http::BodyError::closed, "closed");
}

// T08: a TLS connection that was cut comes here, so a body that ends with it is not taken for
// whole.
void ClientConnection::on_failed(const io::Error& error) {
  bool closed = error.kind == io::Error::Kind::closed;
  fail(closed ? ClientError::Kind::closed : ClientError::Kind::failed, http::BodyError::closed,
       error.text());
}

void ClientConnection::on_timer() {
  const io::Time now = loop_.now();
  const bool head = state_ == State::head;
  if (!head && state_ != State::body) return;
  const io::Duration timeout = head ? limits_.first_byte_timeout : limits_.idle_timeout;
  // Not while it is the client that has to send, or to read.
  const bool theirs = stream_->queued() > 0 || (head ? request_ended_ : pipe_.awaited());
  const io::Time deadline = theirs ? last_progress_ + timeout : now + timeout;
  if (now < deadline) return timer_.set(deadline);
  if (stream_->delivering()) {  // an origin that reads slowly
    last_progress_ = now;
    return timer_.set(now + timeout);
  }
  fail(ClientError::Kind::timeout, http::BodyError::timeout,
       head ? "no response in time" : "nothing moved in time");
}

bool ClientConnection::ResponseHead::await_ready() {
  connection_.informational_ = informational_;
  if (connection_.head_received_ || connection_.over_) return true;
  connection_.head_.reset();
  connection_.timer_.set_after(connection_.limits_.first_byte_timeout);
  return false;
}

ClientConnection::ResponseHead::Result ClientConnection::ResponseHead::await_resume() {
  awaiter_.await_resume();
  connection_.informational_ = nullptr;
  if (connection_.head_received_) return &connection_.response_;
  return std::unexpected(connection_.error_);
}

}  // namespace http1
