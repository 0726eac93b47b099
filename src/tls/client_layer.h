// TLS of a connection to an origin, as io/stream's layer.
//
// Sends SNI, verifies chain and name, offers ALPN, resumes the session that the endpoint's slot
// has. An origin's end without close_notify is the stream's to report (kind closed): the layer
// reports `ended` only for a close_notify.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "io/stream.h"
#include "tls/client_context.h"
#include "tls/engine.h"
#include "tls/peer_certificate.h"

namespace tls {

// The last session of an endpoint, on one worker: what the next connection resumes. Of one context
// and name only, so that what was verified once stays what is asked for.
class SessionSlot {
 public:
  void clear() { session_.reset(); }
  bool empty() const { return session_ == nullptr; }

 private:
  friend class ClientLayer;
  friend struct ClientCallbacks;
  std::shared_ptr<const ClientContext> context_;
  std::string name_;
  SessionPointer session_;
};

// Has the sessions of an SSL_CTX kept by the ClientLayer of each SSL.
void keep_sessions(SSL_CTX* context);

class ClientLayer final : public io::StreamLayer {
 public:
  // `host` is what the origin is called: name or IP; options().server_name takes its place where
  // set. `slot` may be nullptr.
  ClientLayer(std::shared_ptr<const ClientContext> context, std::string_view host,
              std::shared_ptr<SessionSlot> slot, std::shared_ptr<Worker> worker);

  Status start(base::Buffer& wire) override { return engine_.start(wire); }
  Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) override {
    return engine_.receive(received, plain, wire);
  }
  Status send(std::string_view plain, base::Buffer& wire) override {
    return engine_.send(plain, wire);
  }
  void finish(base::Buffer& wire) override { engine_.finish(wire); }
  bool established() const override { return engine_.established(); }
  // Of a certificate for other names it says which one was expected.
  io::Error error() const override;

  // Known once established.
  std::string_view version() const { return engine_.version(); }
  std::string_view cipher() const { return engine_.cipher(); }
  std::string_view alpn() const { return engine_.alpn(); }
  bool resumed() const { return engine_.resumed(); }
  PeerCertificate server_certificate() const { return peer_certificate(engine_.ssl()); }

 private:
  friend struct ClientCallbacks;
  bool keep_session(SSL_SESSION* session);

  std::shared_ptr<const ClientContext> context_;
  std::string name_;
  std::shared_ptr<SessionSlot> slot_;
  Engine engine_;
};

}  // namespace tls
