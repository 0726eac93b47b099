#include "server/connection.h"

#include <utility>

#include "proxy_protocol/reader.h"
#include "server/worker.h"
#include "tls/context.h"
#include "tls/server_layer.h"

namespace server {

void Connection::open(Worker& worker, std::shared_ptr<const Listener> listener, int descriptor,
                      const base::Address& peer) {
  auto* connection = new Connection(worker, std::move(listener), peer);
  connection->stream_ = io::Stream::adopt(worker.loop(), descriptor, peer);
  connection->stream_->set_user(connection);
  connection->stream_->set_helpers(&worker.helpers());
  connection->info_.local = connection->stream_->local();
  worker.add(*connection);
  connection->begin();
}

Connection::Connection(Worker& worker, std::shared_ptr<const Listener> listener,
                       const base::Address& peer)
    : worker_(worker),
      listener_(std::move(listener)),
      context_{*this, listener_->options.limits, worker.exchanges(), worker.dates()} {
  info_.peer = peer;
  info_.listener = listener_->options.name;
}

Connection::~Connection() = default;

// The life of a connection before HTTP: PROXY header, TLS, ALPN.
void Connection::begin() {
  const auto& proxy = listener_->options.proxy_protocol;
  proxy_header_pending_ = proxy && proxy->trusted.contains(info_.peer);
  if (!proxy_header_pending_ && listener_->tls == nullptr) return begin_http();
  timer_ = std::make_unique<io::Timer>(worker_.loop(), &Connection::on_timeout, this);
  timer_->set_after(proxy_header_pending_ ? proxy->timeout
                                          : listener_->options.limits.handshake_timeout);
  if (!proxy_header_pending_) begin_tls();
}

size_t Connection::on_bytes(std::string_view bytes) {
  return proxy_header_pending_ ? read_proxy_header(bytes) : 0;
}

size_t Connection::read_proxy_header(std::string_view bytes) {
  auto parsed = proxy_protocol::parse(bytes);
  if (parsed.result == proxy_protocol::Result::kNeedMore) return 0;
  if (parsed.result == proxy_protocol::Result::kInvalid) {
    refused(info_, 0, {}, parsed.error);
    close();
    return 0;
  }
  proxy_header_pending_ = false;
  if (!parsed.header.local) {
    info_.peer = parsed.header.source;
    info_.local = parsed.header.destination;
    stream_->set_peer(info_.peer);
  }
  if (listener_->tls == nullptr) {
    begin_http();
  } else {
    timer_->set_after(listener_->options.limits.handshake_timeout);
    begin_tls();
  }
  return parsed.header.size;
}

void Connection::begin_tls() {
  auto layer = std::make_unique<tls::ServerLayer>(listener_->tls, worker_.tls());
  tls_ = layer.get();
  stream_->set_layer(std::move(layer));
}

void Connection::on_secured() {
  worker_.metrics().handshakes.add();
  auto client = tls_->client_certificate();
  tls_info_ = std::make_unique<http::TlsInfo>(http::TlsInfo{
      .version = tls_->version(),
      .cipher = tls_->cipher(),
      .server_name = tls_->server_name(),
      .alpn = std::string(tls_->alpn()),
      .resumed = tls_->resumed(),
      .client_verified = client.verified,
      .client_subject = std::move(client.subject),
      .client_fingerprint = std::move(client.fingerprint),
      .client_serial = std::move(client.serial),
  });
  info_.tls = tls_info_.get();
  begin_http();  // the only protocol that ALPN offers
}

void Connection::begin_http() {
  timer_.reset();
  info_.peer_trusted = listener_->options.trusted_proxies.contains(info_.peer);
  http1_ = http1::ServerConnection::create(context_, info_, std::move(stream_), *this);
}

void Connection::on_failed(const io::Error& error) {
  if (tls_ != nullptr && !tls_->established()) {
    worker_.metrics().handshakes_failed.add();
    if (tls_->cleartext()) {
      refused(info_, 400, {}, "cleartext HTTP on a TLS listener");
    } else if (error.kind == io::Error::Kind::security) {
      refused(info_, 0, {}, error.text());
    }
  }
  close();
}

void Connection::on_timeout(void* self) {
  auto& connection = *static_cast<Connection*>(self);
  connection.refused(
      connection.info_, 0, {},
      connection.proxy_header_pending_ ? "no PROXY header in time" : "no TLS handshake in time");
  connection.close();
}

void Connection::drain() {
  if (http1_ != nullptr) {
    http1_->drain();
  } else {
    close();
  }
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  timer_.reset();
  if (http1_ != nullptr) {
    http1_->close();
    worker_.loop().dispose(std::move(http1_));
  }
  stream_.reset();
  worker_.remove(*this);
  worker_.loop().dispose(std::unique_ptr<io::Disposable>(this));
}

void Connection::on_closed(http1::ServerConnection&) { close(); }

http::Outcome Connection::serve(http::Exchange& exchange) {
  if (exchanges_++ == 0) worker_.metrics().connections_active.add();
  return worker_.serve(exchange, *this);
}

void Connection::finished(http::Exchange& exchange) {
  if (--exchanges_ == 0) worker_.metrics().connections_active.subtract();
  worker_.finished(exchange, *listener_);
}

void Connection::refused(const http::ConnectionInfo& connection, int status, std::string_view line,
                         std::string_view reason) {
  worker_.refused(connection, status, line, reason, *listener_);
}

}  // namespace server
