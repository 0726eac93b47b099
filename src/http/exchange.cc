#include "http/exchange.h"

#include <cstring>

#include "http/status.h"

namespace http {

void Exchange::begin(Carrier& carrier, ConnectionInfo& connection) {
  carrier_ = &carrier;
  connection_ = &connection;
  ++connection.exchanges;
  Fields request_fields = std::move(request_.fields);  // keeps its capacity
  Fields response_fields = std::move(response_.fields);
  request_fields.clear();
  response_fields.clear();
  request_ = {};
  response_ = {};
  request_.fields = std::move(request_fields);
  response_.fields = std::move(response_fields);
  head_ = {};
  body_.attach_empty();
  arena_.clear();
  client_ = connection.peer;
  writable_.reset();
  hooks_.clear();
  transforms_.clear();
  captures_.clear();
  stripped_prefix = user = request_id_ = upstream_address = error_detail = {};
  timing = {};
  upstream_status = upstream_attempts = 0;
  upstream_failed = false;
  route = nullptr;
  tree = nullptr;
  body_sent_ = 0;
  body_size_max_ = UINT64_MAX;
  kept_ = hooked_ = started_ = finished_ = aborted_ = tunnel_ = response_fields_kept_ = false;
}

bool Exchange::keep() {
  if (kept_ || head_.empty()) return true;
  std::string_view copy = arena_.copy(head_);
  if (copy.empty()) return false;
  kept_ = true;
  auto move = [&](std::string_view& view) {
    const char* from = head_.data();
    if (view.data() >= from && view.data() + view.size() <= from + head_.size()) {
      view = {copy.data() + (view.data() - from), view.size()};
    }
  };
  Request& r = request_;
  for (auto* view : {&r.method_text, &r.target, &r.authority, &r.host, &r.port, &r.raw_path,
                     &r.query, &r.path, &r.upgrade, &stripped_prefix, &user, &request_id_}) {
    move(*view);
  }
  for (Capture& capture : captures_) move(capture.value);
  r.fields.rebase(head_.data(), head_.size(), copy.data());
  response_.fields.rebase(head_.data(), head_.size(), copy.data());
  head_ = copy;
  return true;
}

std::string_view Exchange::request_id() {
  if (request_id_.empty()) {
    char* text = arena_.allocate(base::Random::kIdSize);
    if (text == nullptr) return {};
    random_.write_id(text);
    request_id_ = {text, base::Random::kIdSize};
  }
  return request_id_;
}

void Exchange::run_hooks() {
  if (hooked_) return;
  hooked_ = true;
  for (size_t i = hooks_.size(); i > 0; --i) hooks_[i - 1]->on_response(*this);
}

void Exchange::respond(base::Slice body) {
  response_.body = BodyLength::of(body.size());
  run_hooks();
  if (transforms_body()) {
    start();
    send_transformed(body.view());
    finish();
    return;
  }
  started_ = finished_ = true;
  body_sent_ = body.size();
  carrier_->send_head(response_);
  if (!body.empty()) carrier_->send_body(std::move(body));
  carrier_->send_end({});
}

void Exchange::respond(base::FileRange body) {
  response_.body = BodyLength::of(body.length);
  run_hooks();
  started_ = finished_ = true;
  body_sent_ = body.length;
  carrier_->send_head(response_);
  if (body.length > 0) carrier_->send_body(std::move(body));
  carrier_->send_end({});
}

void Exchange::respond(int status) {
  response_.status = status;
  if (!status_has_body(status)) {
    response_.body = {};
    start();
    return finish();
  }
  response_.fields.set(FieldName::content_type, "text/plain; charset=utf-8");
  std::string_view phrase = reason_phrase(status);
  char* text = arena_.allocate(phrase.size() + 5);
  if (text == nullptr) return respond(base::Slice());
  text[0] = static_cast<char>('0' + status / 100);
  text[1] = static_cast<char>('0' + status / 10 % 10);
  text[2] = static_cast<char>('0' + status % 10);
  text[3] = ' ';
  std::memcpy(text + 4, phrase.data(), phrase.size());
  text[4 + phrase.size()] = '\n';
  respond(base::Slice::unowned({text, phrase.size() + 5}));
}

void Exchange::respond(const PreparedResponse& prepared) {
  if (hooks_.empty() && transforms_.empty() && response_.fields.empty() && !response_fields_kept_) {
    started_ = finished_ = true;
    response_.status = prepared.head.status;
    response_.body = prepared.head.body;
    body_sent_ = prepared.body.size();
    carrier_->send_prepared(prepared);
    return;
  }
  response_.status = prepared.head.status;
  // A cache may drop `prepared` before the log reads the response.
  for (Field field : prepared.head.fields.all()) {
    field.value = arena_.copy(field.value);
    if (field.id == FieldName::other) field.name = arena_.copy(field.name);
    response_.fields.push(field);
  }
  respond(prepared.body);
}

void Exchange::start() {
  run_hooks();
  if (transforms_body()) {
    const std::optional<uint64_t> size = transforms_.back()->size();
    response_.body = size ? BodyLength::of(*size) : BodyLength{BodyKind::unknown, 0};
  }
  started_ = true;
  carrier_->send_head(response_);
}

void Exchange::send_transformed(std::string_view bytes) {
  scratch_.assign(bytes);
  std::string out;
  for (auto& transform : transforms_) {
    out.clear();
    transform->transform(scratch_, out);
    scratch_.swap(out);
  }
  if (scratch_.empty() || aborted_) return;
  body_sent_ += scratch_.size();
  carrier_->send_body(std::string_view(scratch_));
}

Exchange::Write Exchange::write(std::string_view bytes) {
  if (transforms_body() && !tunnel_) {
    send_transformed(bytes);
  } else {
    body_sent_ += bytes.size();
    carrier_->send_body(bytes);
  }
  return Write(*this);
}

Exchange::Write Exchange::write(base::Slice bytes) {
  if (transforms_body() && !tunnel_) return write(bytes.view());
  body_sent_ += bytes.size();
  carrier_->send_body(std::move(bytes));
  return Write(*this);
}

Exchange::Write Exchange::write(base::FileRange range) {
  body_sent_ += range.length;
  carrier_->send_body(std::move(range));
  return Write(*this);
}

void Exchange::finish() { finish({}); }

void Exchange::finish(const Fields& trailers) {
  if (transforms_body() && !tunnel_) {
    std::string tail;
    for (size_t i = 0; i < transforms_.size(); ++i) {
      std::string out;
      if (!tail.empty()) transforms_[i]->transform(tail, out);
      transforms_[i]->finish(out);
      tail.swap(out);
    }
    if (aborted_) return;  // a transform gave up
    if (!tail.empty()) {
      body_sent_ += tail.size();
      carrier_->send_body(std::string_view(tail));
    }
    transforms_.clear();  // what they hold serves the next one
  }
  finished_ = true;
  carrier_->send_end(trailers);
}

void Exchange::abort() {
  if (finished_ && !tunnel_) return;
  aborted_ = true;
  carrier_->abort();
}

void Exchange::start_tunnel() {
  run_hooks();
  started_ = tunnel_ = true;
  carrier_->start_tunnel(response_);
}

}  // namespace http
