#include <algorithm>

#include "base/text.h"
#include "http1/client_connection.h"

// What an origin sends: interim and final heads, bodies, and what is behind them.

namespace http1 {

namespace {

// RFC 2068 19.7.1.1, in use ever since: Keep-Alive: timeout=5, max=100.
std::chrono::seconds read_keep_alive(std::string_view value) {
  constexpr std::string_view kTimeout = "timeout=";
  constexpr uint64_t kSecondsMax = 24 * 3600;
  while (auto piece = base::next_piece(value, ',')) {
    if (!base::iequals(piece->substr(0, kTimeout.size()), kTimeout)) continue;
    auto seconds = base::parse_decimal(piece->substr(kTimeout.size()));
    if (seconds) return std::chrono::seconds(std::min(*seconds, kSecondsMax));
  }
  return {};
}

bool names_protocol(const http::Fields& fields, std::string_view protocol) {
  for (const http::Field& field : fields.all()) {
    if (field.id == http::FieldName::upgrade && base::list_contains(field.value, protocol)) {
      return true;
    }
  }
  return false;
}

}  // namespace

size_t ClientConnection::on_bytes(std::string_view bytes) {
  if (state_ != State::head) last_progress_ = loop_.now();
  size_t taken = 0;
  while (taken < bytes.size() && !over_ && !stream_->reading_paused()) {
    std::string_view rest = bytes.substr(taken);
    size_t size = 0;
    switch (state_) {
      case State::idle:
        // P06: nobody asked. Whoever comes next must not take it for an answer.
        fail(ClientError::Kind::malformed, http::BodyError::malformed, "bytes behind a response");
        break;
      case State::head:
        size = read_head(rest);
        break;
      case State::body:
        size = read_body(rest);
        break;
      case State::switched:
        stream_->pause_reading();
        break;
      case State::tunnel:
        size = read_raw(rest);
        break;
    }
    taken += size;
    if (size == 0) break;
  }
  return over_ ? bytes.size() : taken;
}

size_t ClientConnection::read_head(std::string_view bytes) {
  if (stream_->sent() == sent_before_) {
    // Sent before the request was: they belong to nobody (P06), and the request may be repeated.
    received_before_ = stream_->received();
    fail(ClientError::Kind::closed, http::BodyError::closed, "bytes before the request");
    return 0;
  }
  FieldLimits limits{limits_.head_size_max, limits_.head_size_max, limits_.fields_max};
  ParseStatus status = parser_.parse(bytes, limits, method_, response_);
  if (status == ParseStatus::need_more) return 0;
  if (status == ParseStatus::error) {
    bool size = parser_.error().status == 431;
    fail(size ? ClientError::Kind::too_large : ClientError::Kind::malformed,
         http::BodyError::malformed, parser_.error().reason);
    return 0;
  }
  const size_t size = parser_.head_size();
  if (response_.status < 200 && response_.status != 101) {
    if (!accept_interim()) return 0;
  } else {
    accept_head(bytes);
  }
  return size;
}

// RFC 9110 15.2: any number may come; as many as nobody needs are an attack (P08).
bool ClientConnection::accept_interim() {
  if (++interim_ > limits_.informational_max) {
    fail(ClientError::Kind::malformed, http::BodyError::malformed, "too many interim responses");
    return false;
  }
  // 100 answers an expectation that is never passed on.
  if (response_.status != 100 && informational_ != nullptr) {
    informational_->on_informational(response_.status, response_.fields);
  }
  parser_.reset();
  response_.fields.clear();
  return true;
}

void ClientConnection::accept_head(std::string_view bytes) {
  std::string_view head = bytes.substr(0, parser_.head_size());
  const bool switched = response_.status == 101;
  if (switched && (upgrade_.empty() || !names_protocol(response_.fields, upgrade_))) {
    // S24, S26, P08: a switch that nobody asked for.
    return fail(ClientError::Kind::malformed, http::BodyError::malformed, "101 was not asked for");
  }
  text_.clear();
  text_.append(head);
  response_.fields.rebase(head.data(), head.size(), text_.view().data());
  keep_alive_ = parser_.keep_alive() && !switched;
  keep_alive_hint_ = read_keep_alive(response_.fields.value(http::FieldName::keep_alive));
  head_received_ = true;
  last_progress_ = loop_.now();
  const http::BodyLength framing = parser_.framing();
  framing_ = framing.kind;
  body_left_ = framing.size;
  decoder_.reset();
  if (switched) {
    state_ = State::switched;
    timer_.cancel();
    stream_->pause_reading();
  } else if (framing.empty()) {
    pipe_.attach_empty();
    finish_response(bytes.size() > head.size());
  } else {
    state_ = State::body;
    timer_.set_after(limits_.idle_timeout);
  }
  head_.notify();
}

// `excess`: bytes stand behind the response. Decided before its reader hears of the end, which may
// well give the connection to a pool within that call (P06).
void ClientConnection::finish_response(bool excess) {
  response_ended_ = true;
  state_ = State::idle;
  timer_.cancel();
  if (excess) keep_alive_ = false;
}

void ClientConnection::want_body() {
  if (over_ || (state_ != State::body && state_ != State::tunnel)) return;
  last_progress_ = loop_.now();
  if (stream_->reading_paused()) stream_->resume_reading();
}

size_t ClientConnection::read_body(std::string_view bytes) {
  if (!pipe_.awaited()) {
    stream_->pause_reading();
    return 0;
  }
  switch (framing_) {
    case http::BodyKind::known:
      return read_known(bytes);
    case http::BodyKind::unknown:
      return read_chunked(bytes);
    default:
      return read_raw(bytes);
  }
}

size_t ClientConnection::read_known(std::string_view bytes) {
  const size_t size = std::min<uint64_t>(body_left_, bytes.size());
  body_left_ -= size;
  if (body_left_ == 0) finish_response(bytes.size() > size);
  pipe_.push(bytes.substr(0, size));
  if (body_left_ == 0 && state_ == State::idle) pipe_.end();
  return size;
}

size_t ClientConnection::read_chunked(std::string_view bytes) {
  size_t taken = 0;
  while (!over_ && pipe_.awaited()) {
    auto [status, framing, size] = decoder_.step(bytes.substr(taken), pipe_.trailers());
    std::string_view section = bytes.substr(taken, framing);
    taken += framing;
    switch (status) {
      case ChunkedDecoder::Status::need_more:
        return taken;
      case ChunkedDecoder::Status::error:
        fail(ClientError::Kind::malformed, http::BodyError::malformed, decoder_.error().reason);
        return taken;
      case ChunkedDecoder::Status::done:
        keep_trailers(section);
        finish_response(taken < bytes.size());
        pipe_.end();
        return taken;
      case ChunkedDecoder::Status::data:
        break;
    }
    decoder_.advance(size);
    std::string_view data = bytes.substr(taken, size);
    taken += size;
    pipe_.push(data);
  }
  if (!over_) stream_->pause_reading();
  return taken;
}

size_t ClientConnection::read_raw(std::string_view bytes) {
  const size_t size = pipe_.push(bytes);
  if (!over_ && !pipe_.awaited()) stream_->pause_reading();
  return size;
}

void ClientConnection::keep_trailers(std::string_view section) {
  http::Fields& trailers = pipe_.trailers();
  if (trailers.empty()) return;
  trailers_.clear();
  trailers_.append(section);
  trailers.rebase(section.data(), section.size(), trailers_.view().data());
}

}  // namespace http1
