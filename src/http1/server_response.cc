#include <cstring>
#include <utility>

#include "http1/server_connection.h"

// The answer: what Exchange asks of its carrier.

namespace http1 {

namespace {

// Prepared bodies up to this size go out in one piece with their head; larger ones by reference.
constexpr size_t kJoinedMax = 8 * 1024;

uint64_t size_of(std::string_view body) { return body.size(); }
uint64_t size_of(const base::Slice& body) { return body.size(); }
uint64_t size_of(const base::FileRange& body) { return body.length; }

std::string_view prefix(std::string_view body, uint64_t size) { return body.substr(0, size); }
base::Slice prefix(base::Slice body, uint64_t size) {
  body.remove_suffix(body.size() - size);
  return body;
}
base::FileRange prefix(base::FileRange body, uint64_t size) {
  body.length = size;
  return body;
}

}  // namespace

void ServerConnection::send_informational(int status, const http::Fields& fields) {
  // RFC 9110 15.2: none to a client of HTTP/1.0 (P08).
  if (state_ != State::serving || head_sent_ || http10_) return;
  http::Response response;
  response.status = status;
  response.fields = fields;
  char* out = stream_->prepare_write(response_head_bound(response));
  stream_->commit_write(write_response_head(out, response, Transfer::none, ResponseContext{}));
}

// Decides whether the connection goes on, and how that is said.
ResponseContext ServerConnection::begin_response() {
  head_sent_ = true;
  if (!request_ended_ && keep_alive_) {
    // Without 100 the client may or may not send its body (S05); a large rest isn't worth reading.
    bool long_rest = !chunked_ && body_left_ > context_.limits.linger_size_max;
    if (continue_owed_ || long_rest) keep_alive_ = false;
  }
  if (draining_) keep_alive_ = false;
  return {.head = head_request_,
          .http10 = http10_,
          .keep_alive = keep_alive_,
          .date = context_.dates.value(loop_.unix_time())};
}

void ServerConnection::send_head(const http::Response& response) {
  if (state_ != State::serving || head_sent_) return;
  ResponseContext context = begin_response();
  transfer_ = choose_transfer(response, context);
  if (transfer_ == Transfer::until_close) context.keep_alive = keep_alive_ = false;
  response_left_ = response.body.size;
  char* out = stream_->prepare_write(response_head_bound(response));
  stream_->commit_write(write_response_head(out, response, transfer_, context));
}

void ServerConnection::send_prepared(const http::PreparedResponse& response) {
  if (state_ != State::serving || head_sent_) return;
  std::string& head = response.encoded[0];
  if (head.empty()) head = encode_prepared(response);
  ResponseContext context = begin_response();
  transfer_ = choose_transfer(response.head, context);
  std::string_view connection = connection_line(context);
  std::string_view body = transfer_ == Transfer::none ? std::string_view() : response.body.view();
  const bool joined = body.size() <= kJoinedMax;
  char* const out = stream_->prepare_write(head.size() + 64 + connection.size() + kJoinedMax);
  char* at = out;
  auto put = [&at](std::string_view text) {
    if (text.empty()) return;
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  };
  put(head);
  put("Date: ");
  put(context.date);
  put("\r\n");
  put(connection);
  put("\r\n");
  if (joined) put(body);
  stream_->commit_write(static_cast<size_t>(at - out));
  if (!joined) stream_->write(response.body);
  response_ended_ = true;
  after_output();
}

template <typename Body>
void ServerConnection::send_any(Body body, uint64_t size) {
  if (size == 0 || response_ended_) return;
  if (state_ == State::tunnel) {
    stream_->write(std::move(body));
    return after_output();
  }
  if (state_ != State::serving || !head_sent_) return;
  switch (transfer_) {
    case Transfer::none:
      return;
    case Transfer::until_close:
      stream_->write(std::move(body));
      break;
    case Transfer::known:
      // More than the head said would be taken for the next response.
      size = std::min(size, response_left_);
      response_left_ -= size;
      if (size > 0) stream_->write(prefix(std::move(body), size));
      break;
    case Transfer::chunked: {
      char* out = stream_->prepare_write(kChunkHeadMax);
      stream_->commit_write(write_chunk_head(out, size));
      stream_->write(std::move(body));
      stream_->write("\r\n");
      break;
    }
  }
  after_output();
}

void ServerConnection::send_body(std::string_view bytes) { send_any(bytes, size_of(bytes)); }

void ServerConnection::send_body(base::Slice bytes) {
  const uint64_t size = size_of(bytes);
  send_any(std::move(bytes), size);
}

void ServerConnection::send_body(base::FileRange range) {
  const uint64_t size = size_of(range);
  send_any(std::move(range), size);
}

void ServerConnection::send_end(const http::Fields& trailers) {
  if (state_ == State::closed || response_ended_) return;
  if (state_ == State::tunnel) {
    response_ended_ = true;
    return stream_->end();
  }
  if (transfer_ == Transfer::known && response_left_ > 0) return abort();  // P04
  response_ended_ = true;
  if (transfer_ == Transfer::chunked) {
    char* out = stream_->prepare_write(trailers_bound(trailers));
    stream_->commit_write(write_trailers(out, trailers));
  }
}

// Where only the connection's end tells the body's, only a reset tells that it is not whole.
void ServerConnection::abort() {
  const bool ambiguous = head_sent_ && transfer_ == Transfer::until_close;
  end(head_sent_ && !ambiguous ? Ending::linger : Ending::reset);
}

void ServerConnection::start_tunnel(const http::Response& response) {
  if (state_ != State::serving || head_sent_) return;
  ResponseContext context = begin_response();
  keep_alive_ = false;
  char* out = stream_->prepare_write(response_head_bound(response));
  stream_->commit_write(write_response_head(out, response, Transfer::none, context));
  state_ = State::tunnel;
  exchange_->body().attach(this);
  if (input_ended_) exchange_->body().end();
}

// D03: while the client must take more before anything goes on, it has send_timeout from one sign
// of progress to the next.
void ServerConnection::after_output() {
  if (stream_->writable()) return;
  if (send_deadline_ == io::Time::max()) {
    send_deadline_ = loop_.now() + context_.limits.send_timeout;
    arm();
  }
}

void ServerConnection::on_progress() {
  if (send_deadline_ != io::Time::max()) {
    send_deadline_ = loop_.now() + context_.limits.send_timeout;
  }
}

void ServerConnection::on_writable() {
  if (state_ == State::closed) return;
  send_deadline_ = io::Time::max();
  if (std::exchange(awaiting_output_, false)) return finish_exchange();
  if (exchange_ == nullptr) return;
  exchange_->writable_signal().notify();
  if (task_ended_) complete();
}

}  // namespace http1
