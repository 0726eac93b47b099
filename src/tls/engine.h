// One OpenSSL connection driven through memory: what server and client layers share.
//
// A BIO of our own reads from the view that receive() was given and appends to the output buffer of
// the call, so bytes pass through no BIO_s_mem. OpenSSL keeps what it needs of an incomplete record
// itself; what it holds while idle is bounded by the worker (tls/worker.h). Belongs to one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "io/stream.h"
#include "tls/openssl.h"
#include "tls/worker.h"

namespace tls {

class Engine {
 public:
  using Status = io::StreamLayer::Status;

  // Wire bytes of the peer's handshake, both flights: D05. A ClientHello may be fragmented, into
  // records of one byte too; ML-KEM makes it 2 KiB. A chain of client certificates comes on top.
  static constexpr size_t kHandshakeSizeMax = 72 * 1024;
  static constexpr size_t kCertificatesSizeMax = 64 * 1024;
  // What arrives while the handshake waits for a certificate; honest clients send nothing more.
  static constexpr size_t kKeptMax = 16 * 1024;

  // A connection's first records fit into one TCP segment, so that the peer can decrypt the first
  // packet without waiting for the next; later ones carry bulk.
  static constexpr size_t kSmallRecord = 1400;
  static constexpr size_t kLargeRecord = 16 * 1024;
  static constexpr size_t kSmallBytes = 64 * 1024;
  static constexpr io::Duration kPause = std::chrono::seconds(1);

  Engine(SslPointer ssl, std::shared_ptr<Worker> worker, size_t handshake_size_max);
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
  [[gnu::cold]] Status fail(std::string reason, io::Error::Kind kind = io::Error::Kind::security);
  // More of the peer's handshake than it was made with: certificates were asked for.
  void allow_certificates() { handshake_left_ += kCertificatesSizeMax; }

  // Of the established connection.
  std::string_view version() const;
  std::string_view cipher() const;
  std::string_view alpn() const;
  bool resumed() const;

 private:
  friend struct EngineBio;
  class Call;

  Status handshake();
  Status read_records(base::Buffer& plain);
  Status stopped();
  void set_record_size(bool small);
  void touch_buffers();
  void forget_buffers();

  SslPointer ssl_;
  std::shared_ptr<Worker> worker_;
  std::string_view input_;           // during a call: what is not yet read
  base::Buffer* wire_ = nullptr;     // during a call
  base::Buffer kept_;                // input of a handshake that waits
  size_t handshake_left_;            // bytes that it may still use
  size_t small_left_ = kSmallBytes;  // bytes to be sent in small records
  io::Time last_sent_{};
  Engine* newer_ = nullptr;  // in the worker's list
  Engine* older_ = nullptr;
  bool listed_ = false;
  bool starved_ = false;  // OpenSSL asked for more than there was
  bool established_ = false;
  bool ended_ = false;
  bool failed_ = false;
  bool too_large_ = false;     // the peer's handshake
  bool record_small_ = false;  // what OpenSSL was told last
  io::Error::Kind kind_ = io::Error::Kind::none;
  std::string reason_;
};

}  // namespace tls
