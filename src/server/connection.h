// One accepted connection: from its first byte to the version of HTTP that speaks on it.
//
// PROXY header where the listener expects one, TLS handshake where it has TLS, then the switch by
// ALPN: all of it on one screen in connection.cc. Afterwards it only stands between the version's
// connection and the worker: what an exchange may know of it, and what the worker must know to
// drain it. Owned by its worker; disposed at the end of the turn in which it closes.
#pragma once

#include <memory>
#include <string>

#include "http/connection_info.h"
#include "http1/server_connection.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/timer.h"
#include "server/listener.h"

namespace tls {
class ServerLayer;
}

namespace server {

class Worker;

class Connection final : public io::StreamUser,
                         public http::Service,
                         public http1::ServerConnection::Owner,
                         public io::Disposable {
 public:
  // Takes over the descriptor.
  static void open(Worker& worker, std::shared_ptr<const Listener> listener, int descriptor,
                   const base::Address& peer);
  ~Connection() override;

  const Listener& listener() const { return *listener_; }
  const http::ConnectionInfo& info() const { return info_; }
  tls::ServerLayer* tls() const { return tls_; }
  void set_id(uint64_t id) { info_.id = id; }

  // Answers what is under way and closes; at once where nothing is.
  void drain();
  void close();
  bool idle() const { return http1_ != nullptr && http1_->idle(); }

  // io::StreamUser, until a version took over.
  size_t on_bytes(std::string_view bytes) override;
  void on_end() override { close(); }
  void on_hangup() override {}
  void on_writable() override {}
  void on_secured() override;
  void on_failed(const io::Error& error) override;

  // http::Service
  http::Outcome serve(http::Exchange& exchange) override;
  void finished(http::Exchange& exchange) override;
  void refused(const http::ConnectionInfo& connection, int status, std::string_view line,
               std::string_view reason) override;

  // http1::ServerConnection::Owner
  void on_closed(http1::ServerConnection& connection) override;

  // List of the worker's connections.
  Connection* next = nullptr;
  Connection* previous = nullptr;

 private:
  Connection(Worker& worker, std::shared_ptr<const Listener> listener, const base::Address& peer);
  void begin();
  size_t read_proxy_header(std::string_view bytes);
  void begin_tls();
  void begin_http();
  static void on_timeout(void* self);

  Worker& worker_;
  std::shared_ptr<const Listener> listener_;
  http::ConnectionInfo info_;
  std::unique_ptr<http::TlsInfo> tls_info_;
  io::Stream::Pointer stream_;
  tls::ServerLayer* tls_ = nullptr;  // owned by the stream
  std::unique_ptr<http1::ServerConnection> http1_;
  std::unique_ptr<io::Timer> timer_;  // until HTTP begins
  http1::ServerContext context_;
  bool proxy_header_pending_ = false;
  bool closed_ = false;
  uint32_t exchanges_ = 0;  // in progress
};

}  // namespace server
