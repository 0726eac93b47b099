// TLS of an accepted connection, as io/stream's layer.
//
// Made per connection from the listener's context. After the handshake it tells who the client
// named, what was negotiated and which certificate the client showed. A client that speaks
// cleartext HTTP to this port is recognised by its first byte: receive() fails, cleartext() is true
// and the context's answer stands in the output (T09).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/stream.h"
#include "tls/engine.h"
#include "tls/peer_certificate.h"
#include "tls/server_handshake.h"

namespace tls {

class ServerLayer final : public io::StreamLayer {
 public:
  ServerLayer(std::shared_ptr<const ServerContext> context, std::shared_ptr<Worker> worker);

  Status start(base::Buffer& wire) override;
  // With nothing received: goes on after a certificate came.
  Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) override;
  Status send(std::string_view plain, base::Buffer& wire) override {
    return engine_.send(plain, wire);
  }
  void finish(base::Buffer& wire) override { engine_.finish(wire); }
  bool established() const override { return engine_.established(); }
  io::Error error() const override { return engine_.error(); }

  // What is to be called when a handshake that answered `waiting` can go on: Stream::layer_ready().
  void set_ready(std::move_only_function<void()> ready) { handshake_.set_ready(std::move(ready)); }
  // The failure was a client speaking cleartext.
  bool cleartext() const { return cleartext_; }

  // Known once established.
  std::string_view version() const { return engine_.version(); }  // "TLSv1.3"
  std::string_view cipher() const { return engine_.cipher(); }    // "TLS_AES_128_GCM_SHA256"
  std::string_view alpn() const { return engine_.alpn(); }        // empty: none
  const std::string& server_name() const { return handshake_.server_name(); }
  bool resumed() const { return engine_.resumed(); }
  PeerCertificate client_certificate() const { return peer_certificate(engine_.ssl()); }
  // Whether a request for `host` (without port) may be answered on this connection; otherwise 421
  // (T03).
  bool covers(std::string_view host) { return handshake_.may_serve(host); }

 private:
  // Of the first bytes: whether TLS may begin so.
  bool accept_first(std::string_view received, base::Buffer& wire);

  ServerHandshake handshake_;  // outlives the SSL, whose callbacks look for it
  Engine engine_;
  bool first_ = true;
  bool cleartext_ = false;
  bool certificates_allowed_ = false;
};

}  // namespace tls
