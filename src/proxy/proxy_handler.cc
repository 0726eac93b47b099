#include "proxy/proxy_handler.h"

#include <algorithm>

#include "base/text.h"
#include "http/exchange_resolver.h"
#include "http/target.h"
#include "proxy/read_ahead.h"
#include "proxy/response_fields.h"
#include "proxy/tunnel_watch.h"

namespace proxy {

namespace {

int status_of(RequestVerdict verdict) {
  switch (verdict) {
    case RequestVerdict::good:
      return 0;
    case RequestVerdict::loop:
      return 508;
    case RequestVerdict::nominations:
      return 400;
    case RequestVerdict::last_hop:
      return 204;
    case RequestVerdict::out_of_memory:
      return 431;
  }
  return 500;
}

std::string_view text_of(RequestVerdict verdict) {
  switch (verdict) {
    case RequestVerdict::loop:
      return "the request came through here before: a loop";
    case RequestVerdict::nominations:
      return "Connection names too many fields";
    case RequestVerdict::out_of_memory:
      return "the fields to send exceed the memory of an exchange";
    default:
      return {};
  }
}

// Of an endpoint, as it stands in a URL or in Host.
void append_authority(std::string& out, const upstream::EndpointOptions& endpoint) {
  if (endpoint.host.empty()) {
    out += "localhost";
    return;
  }
  const bool brackets = endpoint.host.find(':') != std::string::npos;
  if (brackets) out += '[';
  out += endpoint.host;
  if (brackets) out += ']';
  if (endpoint.port == (endpoint.tls ? 443 : 80)) return;
  out += ':';
  base::append_decimal(out, endpoint.port);
}

}  // namespace

ProxyHandler::ProxyHandler(const Options& options, const std::shared_ptr<upstream::Group>& group,
                           const Services& services, std::shared_ptr<upstream::Chooser> chooser)
    : options_(options),
      group_(group),
      services_(services),
      chooser_(chooser != nullptr ? std::move(chooser) : services_.pools.chooser(group)) {}

base::Task<> ProxyHandler::run(http::Exchange& exchange) {
  Passage passage(exchange, options_, *group_, services_.loop);
  if (int status = passage.refusal(); status != 0) co_return passage.fail(status, "not passed on");
  if (options_.buffer_request != 0 && passage.has_body()) {
    co_await buffer_request(exchange, passage);
    if (exchange.started()) co_return;
  }

  const http::Response* response = nullptr;
  while (response == nullptr) {
    const bool fresh = passage.wants_fresh();
    if (!fresh) {
      upstream::Endpoint* endpoint = co_await chooser_->choose(
          {.now = services_.loop.now(), .tried = passage.tried(), .hash = 0});
      if (endpoint == nullptr) co_return passage.unchosen();
      passage.begin_try(services_.pools.of(*endpoint), false);
    } else {
      passage.begin_try(passage.pool(), true);
    }
    passage.lease = fresh ? passage.pool().lease_fresh(group_) : passage.pool().lease(group_);
    if (!passage.lease) {
      auto connected = co_await passage.pool().connect(passage.connect_timeout());
      if (!connected) {
        if (passage.connect_failed(connected.error())) continue;
        co_return;
      }
      passage.lease.adopt(std::move(*connected));
    }
    if (!send_request(exchange, passage)) co_return;
    auto head = co_await passage.lease->response_head(&passage);
    if (head) {
      response = *head;
    } else if (!passage.response_failed(head.error())) {
      co_return;
    }
  }

  passage.head_received(response->status);
  if (response->status == 101) co_return co_await tunnel(exchange, passage, *response);
  if (!begin_response(exchange, passage, *response)) co_return;
  if (options_.buffer_response != 0) co_return co_await relay_ahead(exchange, passage);

  http::BodyPipe& body = passage.lease->body();
  http::BodyPart part;
  while ((part = co_await body.read())) {
    if (!co_await exchange.write(part.bytes)) co_return;
  }
  // P04: a body that was cut is never ended.
  if (!part.end) co_return passage.fail(502, "the origin's response is cut short");
  exchange.finish(body.trailers());
  if (!passage.upload.running()) passage.lease.give_back();
}

// Reads the body up to the limit. What is beyond it streams once there is a connection.
base::Task<> ProxyHandler::buffer_request(http::Exchange& exchange, Passage& passage) {
  http::BodyPipe& body = exchange.body();
  while (passage.kept_body.size() < options_.buffer_request) {
    http::BodyPart part = co_await body.read();
    if (part.end) {
      passage.kept_whole = true;
      co_return;
    }
    if (!part) co_return passage.fail_body(part.error);
    passage.kept_body.append(part.bytes);
  }
}

// False: answered.
bool ProxyHandler::send_request(http::Exchange& exchange, Passage& passage) {
  const http::Request& request = exchange.request();
  passage.begin_request();
  const RequestRules rules{.x_forwarded = options_.x_forwarded,
                           .forwarded = options_.forwarded,
                           .pseudonym = &services_.pseudonym};
  const RequestVerdict verdict =
      make_request_fields(exchange, host_to_send(exchange, passage), rules, fields_, scratch_);
  const std::string_view target = request_target(exchange);
  if (verdict != RequestVerdict::good || target.empty()) {
    // The connection was not used.
    passage.lease.give_back();
    if (verdict == RequestVerdict::good) {
      passage.fail(431, "the target exceeds the memory of an exchange");
    } else {
      passage.fail(status_of(verdict), text_of(verdict));
    }
    return false;
  }
  http::BodyLength length = request.body;
  if (passage.kept_whole && exchange.body().trailers().empty()) {
    length = http::BodyLength::of(passage.kept_body.size());
  }
  http1::ClientConnection& connection = *passage.lease;
  connection.send_head(request.method_text, target, fields_, length, passage.upgrade());
  if (!passage.kept_body.empty()) connection.send_body(passage.kept_body.view());
  if (!passage.has_body()) {
    connection.send_end({});
  } else if (passage.kept_whole) {
    connection.send_end(exchange.body().trailers());
  } else {
    passage.upload.start(exchange, connection);
  }
  return true;
}

// A filter's, the option's, the client's, the endpoint's own: the first that is one. Of a template
// that names what clients send anything may come (S16, S32).
std::string_view ProxyHandler::host_to_send(http::Exchange& exchange, const Passage& passage) {
  const http::Field* field = exchange.request().fields.find(http::FieldName::host);
  if (field != nullptr && !exchange.received(field->value) && http::parse_authority(field->value)) {
    return field->value;
  }
  if (!options_.host.empty()) {
    const std::string_view host = http::evaluate(options_.host, base::Escape::kField, exchange);
    if (options_.host.literal() || http::parse_authority(host)) return host;
  }
  if (!exchange.request().authority.empty()) return exchange.request().authority;
  scratch_.clear();
  append_authority(scratch_, passage.pool().endpoint().options());
  return exchange.arena().copy(scratch_);
}

// False: failed.
bool ProxyHandler::begin_response(http::Exchange& exchange, Passage& passage,
                                  const http::Response& from) {
  ResponseRules rules;
  rules.rewrite_location = options_.rewrite_location;
  std::string authority;
  if (rules.rewrite_location && from.fields.has(http::FieldName::location)) {
    append_authority(authority, passage.pool().endpoint().options());
    rules.endpoint_authority = authority;
    rules.host_sent = host_to_send(exchange, passage);
  }
  if (!make_response(from, passage.lease->head_text(), rules, exchange, scratch_)) {
    exchange.response().fields.clear();
    passage.fail(502, "the response's fields exceed the memory of an exchange");
    return false;
  }
  exchange.response().body = from.body;
  // P10: an origin that refuses reads no more. One that answers early and goes on reading is let
  // be.
  if (from.status >= 300) passage.upload.stop();
  exchange.start();
  return true;
}

base::Task<> ProxyHandler::relay_ahead(http::Exchange& exchange, Passage& passage) {
  ReadAhead ahead(services_.loop, passage.lease, passage.upload, options_.buffer_response);
  const http::BodyError error = co_await ahead.relay(exchange);
  if (error != http::BodyError::none) co_return passage.fail(502, "the response is cut short");
  exchange.finish(ahead.trailers());
}

// After 101: bytes both ways until both sides have ended, each of which may end first (P17).
base::Task<> ProxyHandler::tunnel(http::Exchange& exchange, Passage& passage,
                                  const http::Response& from) {
  // S26: a switch that nobody asked for, or to something else.
  const std::string_view protocol = passage.upgrade();
  if (protocol.empty() ||
      !base::list_contains(from.fields.value(http::FieldName::upgrade), protocol)) {
    co_return passage.fail(502, "101 to a protocol that was not asked for");
  }
  if (!make_response(from, passage.lease->head_text(), {}, exchange, scratch_)) {
    exchange.response().fields.clear();
    co_return passage.fail(502, "the response's fields exceed the memory of an exchange");
  }
  exchange.response().fields.set(http::FieldName::upgrade, protocol);
  passage.lease->become_tunnel();
  exchange.start_tunnel();
  passage.upload.start(exchange, *passage.lease);

  const upstream::GroupOptions& options = group_->options();
  TunnelWatch watch(services_.loop, *passage.lease, passage.upload, options.tunnel_idle_timeout,
                    options.idle_timeout);
  http::BodyPipe& body = passage.lease->body();
  http::BodyPart part;
  while ((part = co_await body.read())) {
    watch.touch();
    if (!co_await exchange.write(part.bytes)) co_return;
  }
  if (!part.end) co_return passage.fail(502, "the origin cut the tunnel");
  exchange.finish();
  watch.half_closed();
  if (passage.upload.running()) co_await passage.upload.over().wait();
}

}  // namespace proxy
