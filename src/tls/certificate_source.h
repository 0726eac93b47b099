// Where the certificate of a name comes from when no file has it.
//
// Asked on the connection's worker in the middle of its handshake. The handshake waits for the
// answer, the worker doesn't. Bounded by the listener's handshake timeout; the source bounds how
// many it works on.
#pragma once

#include <memory>
#include <string>

#include "tls/certificate.h"

namespace tls {

class ServerHandshake;

// One question, held by the source until it answers or drops it. The connection may end before:
// then the answer goes nowhere.
class CertificateRequest {
 public:
  CertificateRequest(std::string server_name, ServerHandshake& handshake)
      : server_name_(std::move(server_name)), handshake_(&handshake) {}

  const std::string& server_name() const { return server_name_; }  // lower case
  bool abandoned() const { return handshake_ == nullptr; }
  // On the worker that asked, also from within find(). An empty set refuses the handshake.
  void answer(CertificateSet certificates);

 private:
  friend class ServerHandshake;
  std::string server_name_;
  ServerHandshake* handshake_;
};

// The boundary towards what obtains certificates, which is above tls/.
class CertificateSource {
 public:
  virtual void find(std::shared_ptr<CertificateRequest> request) = 0;

 protected:
  ~CertificateSource() = default;
};

}  // namespace tls
