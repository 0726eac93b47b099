// What the TLS connections of one worker share: its clock, its source of certificates, and a bound
// on how many of them hold record buffers.
//
// OpenSSL keeps two buffers of 16 KiB for a connection that reads and writes; taking and giving
// them back for every record costs as much as decrypting a small one, keeping them breaks the
// memory bound of idle connections. So the connections used last keep theirs and the one used
// longest ago gives them back: kBuffersMax of them cost 9 MiB, whatever the number of connections.
// Made with std::make_shared and held by the layers: streams may outlast what made them.
#pragma once

#include <cstddef>

namespace io {
class Loop;
}

namespace tls {

class CertificateSource;
class Engine;

class Worker {
 public:
  static constexpr size_t kBuffersMax = 256;

  // `loop` tells the time (nullptr: records never become small again after a pause); `source` is
  // asked for certificates that no file has, may be nullptr. Both outlive the worker.
  explicit Worker(const io::Loop* loop, CertificateSource* source = nullptr)
      : loop_(loop), source_(source) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const io::Loop* loop() const { return loop_; }
  CertificateSource* source() const { return source_; }

 private:
  friend class Engine;
  const io::Loop* loop_;
  CertificateSource* source_;
  // Engines with buffers, a list through them, used last first.
  Engine* newest_ = nullptr;
  Engine* oldest_ = nullptr;
  size_t count_ = 0;
};

}  // namespace tls
