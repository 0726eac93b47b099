#include "http1/server_connection.h"

#include <algorithm>
#include <utility>

#include "http/status.h"

// The life of a connection and of its exchanges: heads, order, timers, the end.

namespace http1 {

namespace {

// A task that ended without an answer: what its request's body did wrong, else our own fault.
int status_for(http::BodyError error) {
  switch (error) {
    case http::BodyError::malformed:
      return 400;
    case http::BodyError::timeout:
      return 408;
    case http::BodyError::too_large:
      return 413;
    default:
      return 500;
  }
}

// What was sent in place of a request line, for the log.
std::string_view first_line(std::string_view bytes) {
  while (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
  return bytes.substr(0, std::min<size_t>(bytes.find_first_of("\r\n"), 256));
}

}  // namespace

ServerConnection::ServerConnection(const ServerContext& context, http::ConnectionInfo& info,
                                   io::Stream::Pointer stream, Owner& owner)
    : context_(context),
      info_(info),
      owner_(owner),
      loop_(stream->loop()),
      stream_(std::move(stream)),
      deferred_([](void* self) { static_cast<ServerConnection*>(self)->run_deferred(); }, this),
      timer_(
          loop_, [](void* self) { static_cast<ServerConnection*>(self)->on_timer(); }, this),
      parser_(info.tls != nullptr) {
  stream_->set_user(this);
  // Who connects has something to say: the first request has less time than later ones (D01).
  timer_.set_after(context_.limits.header_timeout);
}

ServerConnection::~ServerConnection() {
  // The service and the owner may be gone already: they were told by close(), or are not to be.
  task_ = {};
  give_back_exchange();
}

size_t ServerConnection::on_bytes(std::string_view bytes) {
  size_t taken = 0;
  uint32_t heads = 0;
  while (taken < bytes.size() && state_ != State::closed && !stream_->reading_paused()) {
    std::string_view rest = bytes.substr(taken);
    size_t size = 0;
    switch (state_) {
      case State::reading:
        if (heads++ == context_.limits.pipelined_max) {
          // Others first (S22); what is left comes again in this turn.
          stream_->pause_reading();
          stream_->resume_reading();
          return taken;
        }
        size = read_head(rest);
        break;
      case State::serving:
        size = read_body(rest);
        break;
      case State::dropping:
        size = drop_body(rest);
        break;
      case State::tunnel:
        size = read_tunnel(rest);
        break;
      case State::closed:
        break;
    }
    taken += size;
    if (task_ended_) {
      complete();
    } else if (size == 0) {
      break;
    }
  }
  return state_ == State::closed ? bytes.size() : taken;
}

size_t ServerConnection::read_head(std::string_view bytes) {
  if (exchange_ == nullptr) begin_exchange();
  ParseStatus status =
      parser_.parse(bytes, context_.limits, exchange_->request(), exchange_->arena());
  if (status == ParseStatus::error) {
    refuse(parser_.error(), bytes);
    return 0;
  }
  if (status == ParseStatus::need_more) {
    // One deadline from the first byte on, which no further byte moves (D01).
    io::Time deadline = exchange_->timing.begin + context_.limits.header_timeout;
    if (timer_.deadline() != deadline) timer_.set(deadline);
    return 0;
  }
  size_t size = parser_.head_size();
  std::string_view head = bytes.substr(0, size);
  if (!acceptable(head)) return 0;
  serve(head, bytes.size() > size);
  return size;
}

void ServerConnection::begin_exchange() {
  exchange_ = context_.exchanges.take();
  exchange_->begin(*this, info_);
  exchange_->timing.begin = loop_.now();
}

// What no handler is asked about.
bool ServerConnection::acceptable(std::string_view head) {
  const http::Request& request = exchange_->request();
  ParseError error;
  if (request.method == http::Method::connect) {
    // Whatever follows is meant for somebody else: never parsed (S23).
    error = {405, "CONNECT is not served (RFC 9110 9.3.6)"};
  } else if (request.method == http::Method::trace) {
    error = {405, "TRACE is not served (RFC 9110 9.3.8)"};
  } else if (request.body.kind == http::BodyKind::known &&
             request.body.size > context_.limits.body_size_max) {
    error = {413, "body over the limit"};
  } else {
    return true;
  }
  refuse(error, head);
  return false;
}

void ServerConnection::serve(std::string_view head, bool more) {
  const http::Request& request = exchange_->request();
  ++requests_;
  const uint32_t requests_max = context_.limits.keepalive_requests_max;
  keep_alive_ =
      parser_.keep_alive() && !draining_ && (requests_max == 0 || requests_ < requests_max);
  head_request_ = request.method == http::Method::head;
  http10_ = request.version == http::Version::http10;
  head_sent_ = response_ended_ = false;
  continue_owed_ = request.expects_continue && !more;
  request_ended_ = request.body.empty();
  if (!request_ended_) begin_body();
  parser_.reset();
  state_ = State::serving;
  reported_ = false;
  exchange_->set_head(head);
  http::Outcome outcome = context_.service.serve(*exchange_);
  if (outcome.done()) return complete();
  if (state_ == State::closed) return;  // it aborted, and has nothing more to do
  if (!exchange_->keep()) {
    exchange_->respond(431);
    return complete();
  }
  task_ = outcome.take();
  stream_->pause_reading();
  task_.start(
      [](void* self) {
        auto& connection = *static_cast<ServerConnection*>(self);
        connection.task_ended_ = true;
        connection.loop_.defer(connection.deferred_);
      },
      this);
  if (task_ended_) complete();
}

// Nothing works on the answer any more.
void ServerConnection::complete() {
  task_ = {};
  task_ended_ = false;
  if (state_ == State::closed) return;  // wrap_up() follows
  deferred_.cancel();
  if (state_ == State::tunnel) {
    response_ended_ = true;
    return end(Ending::linger);
  }
  if (!response_ended_) {
    if (head_sent_) return abort();
    http::BodyError error = exchange_->body().error();
    if (error == http::BodyError::closed) return end(Ending::silent);
    exchange_->respond(status_for(error));
    if (state_ == State::closed) return;
  }
  if (stream_->writable()) return finish_exchange();
  keep_for_report();
  awaiting_output_ = true;
  stream_->pause_reading();
  after_output();
}

void ServerConnection::finish_exchange() {
  clock_.reset();
  report();
  if (!keep_alive_ || draining_) return end(Ending::linger);
  if (!request_ended_) return begin_dropping();
  next_request();
}

void ServerConnection::next_request() {
  give_back_exchange();
  if (input_ended_) return end(Ending::linger);
  state_ = State::reading;
  send_deadline_ = io::Time::max();
  timer_.set_after(context_.limits.keepalive_timeout);
  if (stream_->reading_paused()) stream_->resume_reading();
}

void ServerConnection::give_back_exchange() {
  if (exchange_ == nullptr) return;
  exchange_->body().attach_empty();
  context_.exchanges.put(std::move(exchange_));
}

// Rule R0: the sender sees why, nothing more is parsed, and nothing of it goes anywhere.
void ServerConnection::refuse(const ParseError& error, std::string_view bytes) {
  std::string_view line = first_line(bytes);
  context_.service.refused(info_, error.status, line, error.reason);
  char text[64];
  std::string_view phrase = http::reason_phrase(error.status);
  size_t size = 0;
  for (int digit : {error.status / 100, error.status / 10 % 10, error.status % 10}) {
    text[size++] = static_cast<char>('0' + digit);
  }
  text[size++] = ' ';
  size += phrase.copy(text + size, sizeof text - size - 1);
  text[size++] = '\n';
  http::Response response;
  response.status = error.status;
  response.fields.add(http::FieldName::content_type, "text/plain; charset=utf-8");
  if (error.status == 405) {
    response.fields.add(http::FieldName::allow, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
  }
  response.body = http::BodyLength::of(size);
  ResponseContext context{.head = line.starts_with("HEAD "),
                          .http10 = false,
                          .keep_alive = false,
                          .date = context_.dates.value(loop_.unix_time())};
  char* out = stream_->prepare_write(response_head_bound(response) + size);
  size_t written = write_response_head(out, response, choose_transfer(response, context), context);
  if (!context.head) written += std::string_view(text, size).copy(out + written, size);
  stream_->commit_write(written);
  end(Ending::linger);
}

// Gives up the stream. The task may be what called, so the rest follows later in the turn.
void ServerConnection::end(Ending ending) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  keep_for_report();
  timer_.cancel();
  clock_.reset();
  if (ending == Ending::linger) {
    io::Stream::linger(std::move(stream_), context_.limits.linger_size_max,
                       context_.limits.linger_timeout);
  } else {
    stream_->close(ending == Ending::reset);
  }
  stream_.reset();
  loop_.defer(deferred_);
}

void ServerConnection::run_deferred() {
  if (state_ == State::closed) return wrap_up();
  if (task_ended_) return complete();
  if (body_error_ != http::BodyError::none) {
    exchange_->body().fail(std::exchange(body_error_, http::BodyError::none));
  }
}

void ServerConnection::wrap_up() {
  task_ = {};  // and with it whatever it waits for
  report();
  give_back_exchange();
  if (!std::exchange(owner_told_, true)) owner_.on_closed(*this);
}

// The service is told later, when the bytes that the head was received in are no longer there.
void ServerConnection::keep_for_report() {
  if (!reported_ && !exchange_->keep()) report();
}

void ServerConnection::report() {
  if (std::exchange(reported_, true)) return;
  if (!response_ended_ || awaiting_output_) exchange_->mark_aborted();
  context_.service.finished(*exchange_);
}

void ServerConnection::drain() {
  draining_ = true;
  switch (state_) {
    case State::reading:
      if (exchange_ == nullptr) end(Ending::linger);
      break;
    case State::dropping:
      end(Ending::linger);
      break;
    case State::serving:
    case State::tunnel:
    case State::closed:
      break;
  }
}

void ServerConnection::close() {
  owner_told_ = true;
  end(Ending::silent);
  deferred_.cancel();
  // What is under way is destroyed with the connection: this may be called from within it.
  report();
}

void ServerConnection::on_end() {
  input_ended_ = true;
  switch (state_) {
    case State::reading:
      // Answers may still be on their way; a part of a head is nobody's request (RFC 9112 8).
      end(Ending::linger);
      break;
    case State::serving:
      if (receiving()) body_failed(http::BodyError::closed);
      break;
    case State::dropping:
      end(Ending::linger);
      break;
    case State::tunnel:
      exchange_->body().end();
      break;
    case State::closed:
      break;
  }
  if (task_ended_) complete();
}

void ServerConnection::on_hangup() {
  hangup_ = true;
  // Of a body not yet complete the rest may still wait to be read.
  if (state_ == State::serving && request_ended_ && !response_ended_) end(Ending::silent);
}

void ServerConnection::on_failed(const io::Error&) { end(Ending::silent); }

void ServerConnection::on_timer() {
  const io::Time now = loop_.now();
  switch (state_) {
    case State::reading:
      if (exchange_ == nullptr || !parser_.begun()) return end(Ending::silent);
      return refuse({408, "head not complete in time"}, {});
    case State::serving:
    case State::tunnel:
      if (now >= send_deadline_) {
        if (!stream_->delivering()) return end(Ending::reset);
        send_deadline_ = now + context_.limits.send_timeout;
      }
      if (clock_.expired(now, context_.limits.body_timeout, context_.limits.body_rate_min)) {
        body_failed(http::BodyError::timeout);
        if (task_ended_) complete();
      }
      return arm();
    case State::dropping:
      return end(Ending::silent);
    case State::closed:
      return;
  }
}

// One timer for whatever is waited for; the deadlines say which of it is late.
void ServerConnection::arm() {
  if (state_ != State::serving && state_ != State::tunnel) return;
  io::Time deadline = std::min(send_deadline_, clock_.deadline(context_.limits.body_timeout));
  if (deadline == io::Time::max()) {
    timer_.cancel();
  } else if (timer_.deadline() != deadline) {
    timer_.set(deadline);
  }
}

}  // namespace http1
