// One OpenSSL connection driven through memory: what server and client layers share.
//
// A BIO of our own reads from the view that receive() was given and appends to the output buffer of
// the call, so bytes pass through no BIO_s_mem. OpenSSL keeps what it needs of an incomplete record
// itself and frees its buffers when it has none (SSL_MODE_RELEASE_BUFFERS): an idle connection
// holds no record buffer. Belongs to one worker.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "io/stream.h"
#include "tls/openssl.h"

namespace tls {

class Engine {
 public:
  using Status = io::StreamLayer::Status;

  // A handshake's bytes, both flights of the peer: D05. A ClientHello may be fragmented, into
  // records of one byte too; ML-KEM makes it 2 KiB, and a chain of client certificates comes later.
  static constexpr size_t kHandshakeSizeMax = 72 * 1024;
  static constexpr size_t kClientCertificateSizeMax = 64 * 1024;
  // What arrives while the handshake waits for a certificate; honest clients send nothing more.
  static constexpr size_t kKeptMax = 16 * 1024;

  // A connection's first records fit into one TCP segment, so that the client can decrypt the first
  // packet without waiting for the next; later ones carry bulk.
  static constexpr size_t kSmallRecord = 1400;
  static constexpr size_t kLargeRecord = 16 * 1024;
  static constexpr size_t kSmallBytes = 64 * 1024;
  static constexpr io::Duration kPause = std::chrono::seconds(1);

  // `loop` tells the time; without one, records never become small again.
  Engine(SslPointer ssl, const io::Loop* loop, size_t handshake_size_max);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Status start(base::Buffer& wire);
  Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire);
  Status send(std::string_view plain, base::Buffer& wire);
  void finish(base::Buffer& wire);

  SSL* ssl() const { return ssl_.get(); }
  bool established() const { return established_; }
  io::Error error() const;
  // Ends the connection for a reason of our own.
  Status fail(std::string reason, io::Error::Kind kind = io::Error::Kind::security);

 private:
  friend struct EngineBio;

  Status run(base::Buffer& plain);
  Status handshake();
  // What OpenSSL wants after it returned without success.
  Status stopped(int result);
  bool write(const char* data, size_t size);
  void choose_record_size();

  SslPointer ssl_;
  const io::Loop* loop_;
  std::string_view input_;             // during a call: what is not yet read
  base::Buffer* wire_ = nullptr;       // during a call
  base::Buffer kept_;                  // input of a handshake that waits
  uint32_t handshake_left_;            // bytes that it may still use
  uint32_t small_left_ = kSmallBytes;  // bytes to be sent in small records
  bool established_ = false;
  bool ended_ = false;
  bool failed_ = false;
  bool record_small_ = false;  // what OpenSSL was told last
  io::Error::Kind kind_ = io::Error::Kind::none;
  io::Time last_sent_{};
  std::string reason_;
};

}  // namespace tls
