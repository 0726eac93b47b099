#include "proxy/passage.h"

#include <algorithm>

#include "base/text.h"
#include "proxy/hop_by_hop.h"

namespace proxy {

namespace {

// What a client's own fault is answered with.
int status_of(http::BodyError error) {
  switch (error) {
    case http::BodyError::timeout:
      return 408;
    case http::BodyError::too_large:
      return 413;
    default:
      return 400;
  }
}

// TLS within HTTP (RFC 2817) would take the connection out of our sight.
bool may_switch_to(std::string_view protocol) {
  return !protocol.empty() && !base::iequals(protocol.substr(0, 4), "TLS/");
}

}  // namespace

Passage::Passage(http::Exchange& exchange, const Options& options, const upstream::Group& group,
                 io::Loop& loop)
    : upload(loop),
      exchange_(exchange),
      options_(options),
      group_(group.options()),
      loop_(loop),
      tries_max_(std::min(group.options().retries.attempts, kTriesMax - 1) + 1),
      begun_(loop.now()),
      try_timer_(loop, &on_try_timeout, this) {}

Passage::~Passage() { exchange_.timing.upstream_total = loop_.now() - begun_; }

int Passage::refusal() {
  const http::Request& request = exchange_.request();
  switch (request.method) {
    case http::Method::connect:  // S23: we are no forward proxy
      return 501;
    case http::Method::trace:  // it would show the origin's fields of ours to the client
      return 405;
    default:
      break;
  }
  if (!options_.upgrade || request.method != http::Method::get || !request.body.empty() ||
      !may_switch_to(request.upgrade)) {
    return 0;
  }
  upgrade_ = request.upgrade;
  // S26: a version that no origin speaks only serves to get a tunnel opened that isn't one (RFC
  // 6455 4.4). Of two lines (11.3.5 has one) the origin may read the other.
  constexpr auto kVersion = http::FieldName::sec_websocket_version;
  if (base::iequals(upgrade_, "websocket") &&
      (request.fields.count(kVersion) != 1 || request.fields.value(kVersion) != "13")) {
    exchange_.response().fields.add(http::FieldName::sec_websocket_version, "13");
    exchange_.response().fields.add(http::FieldName::upgrade, "websocket");
    return 426;
  }
  return 0;
}

void Passage::begin_try(Pool& pool, bool fresh) {
  pool_ = &pool;
  if (!fresh) ++tries_;
  exchange_.upstream_attempts = static_cast<int>(tries_);
  stale_ = timed_out_ = false;
  try_begun_ = loop_.now();
  if (group_.retries.timeout.count() != 0) try_timer_.set_after(group_.retries.timeout);
}

io::Duration Passage::connect_timeout() const {
  if (group_.retries.timeout.count() == 0) return group_.connect_timeout;
  return std::min(group_.connect_timeout, group_.retries.timeout);
}

void Passage::begin_request() {
  sent_at_ = loop_.now();
  sent_before_ = lease->sent();
  if (lease.fresh()) exchange_.timing.upstream_connect = sent_at_ - try_begun_;
  exchange_.upstream_address = exchange_.arena().copy(lease.address());
}

void Passage::head_received(int status) {
  end_try();
  exchange_.upstream_status = status;
  exchange_.timing.upstream_first_byte = loop_.now() - sent_at_;
  pool_->endpoint().marks().succeeded();
}

void Passage::mark_failure() {
  pool_->endpoint().marks().failed(loop_.now(), group_.failures);
  if (tried_count_ < tried_.size()) tried_[tried_count_++] = &pool_->endpoint();
}

bool Passage::replayable() const {
  return !has_body() || kept_whole || exchange_.body().received() == 0;
}

bool Passage::may_repeat() const {
  if (!replayable()) return false;
  return http::is_idempotent(exchange_.request().method) || lease->sent() == sent_before_;
}

bool Passage::connect_failed(const upstream::ConnectError& error) {
  end_try();
  pool_->failed.add();
  mark_failure();
  const bool timeout = error.kind == upstream::ConnectError::Kind::timeout;
  failure_status_ = timeout ? 504 : 502;
  failure_detail_ = exchange_.arena().copy(error.detail);
  lease.close();
  // A body that an earlier try has taken is gone.
  if (tries_left() && replayable()) return true;
  fail_unanswered();
  return false;
}

bool Passage::response_failed(const http1::ClientError& error) {
  using Kind = http1::ClientError::Kind;
  end_try();
  if (upload.error() != http::BodyError::none) {
    lease.close();
    fail_body(upload.error());
    return false;
  }
  const bool cut = error.kind == Kind::closed || error.kind == Kind::failed;
  const bool kept = !lease.fresh();
  bool again = error.nothing_received && (cut || timed_out_) && may_repeat();
  if (kept && cut && error.nothing_received && !timed_out_) {
    // Closed while the request was on its way (P12): says nothing of the endpoint.
    again = again && !stale_used_;
    stale_ = stale_used_ = again;
  } else {
    mark_failure();
    again = again && tries_left();
  }
  const bool timeout = timed_out_ || error.kind == Kind::timeout;
  failure_status_ = timeout ? 504 : 502;
  failure_detail_ = exchange_.arena().copy(timed_out_ ? "no response within the time of one try"
                                                      : std::string_view(error.detail));
  upload.stop();
  lease.close();
  if (!again) fail_unanswered();
  return again;
}

void Passage::fail_body(http::BodyError error) {
  fail(status_of(error), "the client's body can't be read to its end");
}

void Passage::unchosen() {
  end_try();
  if (tries_ == 0) failure_detail_ = "no endpoint is available";
  fail_unanswered();
}

void Passage::fail_unanswered() {
  exchange_.upstream_failed = true;
  fail(failure_status_, failure_detail_);
}

void Passage::fail(int status, std::string_view detail) {
  end_try();
  upload.stop();
  exchange_.error_detail = detail;
  if (exchange_.started() || !exchange_.alive()) return exchange_.abort();
  if (status == 405) exchange_.response().fields.set(http::FieldName::allow, "GET, HEAD, POST");
  exchange_.respond(status);
}

// P08; 100 was swallowed, for the body was asked for here, and 101 is final.
void Passage::on_informational(int status, const http::Fields& fields) {
  const http::Version version = exchange_.request().version;
  if (version == http::Version::http10) return;
  // Clients of HTTP/1.1 exist that take it for the response (RFC 8297 3).
  if (version == http::Version::http11 && !options_.early_hints) return;
  const Nominations nominations(fields);
  if (nominations.too_many()) return;
  http::Fields passed;
  for (const http::Field& field : fields.all()) {
    if (!is_hop_by_hop(field.id) && !nominations.contains(field)) passed.push(field);
  }
  exchange_.inform(status, passed);
}

void Passage::on_try_timeout(void* self) {
  auto& passage = *static_cast<Passage*>(self);
  passage.timed_out_ = true;
  if (passage.lease) passage.lease->close();
}

}  // namespace proxy
