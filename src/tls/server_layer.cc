#include "tls/server_layer.h"

#include <utility>

#include "base/text.h"

namespace tls {

namespace {

constexpr char kHandshakeRecord = 0x16;  // RFC 8446 5.1

}  // namespace

ServerLayer::ServerLayer(std::shared_ptr<const ServerContext> context,
                         std::shared_ptr<Worker> worker)
    : handshake_(std::move(context), worker->source()),
      engine_(handshake_.context().make_ssl(), std::move(worker), Engine::kHandshakeSizeMax) {
  if (engine_.ssl() != nullptr) handshake_.attach(engine_.ssl());
}

io::StreamLayer::Status ServerLayer::start(base::Buffer&) { return Status::ok; }

io::StreamLayer::Status ServerLayer::receive(std::string_view received, base::Buffer& plain,
                                             base::Buffer& wire) {
  if (!established()) {
    if (first_ && !received.empty()) {
      first_ = false;
      if (!accept_first(received, wire)) return Status::failed;
    }
    const ServerContext::Site* site = handshake_.site();
    if (site != nullptr && site->policy->client_authorities != nullptr && !certificates_allowed_) {
      certificates_allowed_ = true;
      engine_.allow_certificates();
    }
  }
  return engine_.receive(received, plain, wire);
}

// A connection begins with a handshake record. OpenSSL would take a hello in the format of SSLv2
// too, which RFC 8446 (appendix D.5) allows to refuse (T01).
bool ServerLayer::accept_first(std::string_view received, base::Buffer& wire) {
  const char first = received.front();
  if (first == kHandshakeRecord) return true;
  if (base::is_alpha(first)) {
    cleartext_ = true;
    wire.append(handshake_.context().options().cleartext_answer);
    engine_.fail("cleartext HTTP on a TLS port");
  } else if ((first & 0x80) != 0) {
    engine_.fail("SSLv2 hello");
  } else {
    engine_.fail("not TLS");
  }
  return false;
}

}  // namespace tls
