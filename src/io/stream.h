// A byte stream over a TCP or unix socket, cleartext or through a security layer (TLS).
//
// The stream reads into the loop's buffer and calls its user with a view; the user appends output;
// the loop flushes each stream once per turn. A user that can't take all bytes returns how many it
// took: the rest is kept and comes again, in front of what arrives later (so a parser sees one
// contiguous view), on the next arrival or resume_reading(). Everything above is the same with and
// without TLS: a `StreamLayer` turns wire bytes into plain ones and back, through memory.
//
// Belongs to one connection on one worker. Close at any time, in a callback too: the object lives
// on until the end of the turn. Nothing is reported after close().
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/address.h"
#include "base/buffer.h"
#include "base/file_range.h"
#include "base/slice.h"
#include "io/error.h"
#include "io/loop.h"

namespace io {

class HelperPool;

class StreamUser {
 public:
  // Plain bytes, valid for the call. Returns how many were taken. After pause_reading() the stream
  // calls no more until resume_reading().
  virtual size_t on_bytes(std::string_view bytes) = 0;
  // All bytes were delivered and the peer sends no more. (With TLS: close_notify came.) A stream
  // cut without close_notify is on_failed with kind closed.
  virtual void on_end() = 0;
  // The peer closed its sending side, though bytes may wait unread: comes even while reading is
  // paused, so that a request can be cancelled whose client has gone.
  virtual void on_hangup() {}
  // queued() fell to kLowMark after writable() had been false.
  virtual void on_writable() = 0;
  // Connected (client side): the socket, and the handshake of its layer, are done.
  virtual void on_connected() {}
  // Some output was accepted by the kernel since the last call (for send timeouts).
  virtual void on_progress() {}
  // Everything queued has been accepted by the kernel after end() or shutdown was asked for.
  virtual void on_drained() {}
  // Dead: nothing more comes or goes. Called once, never from within a call into the stream.
  virtual void on_failed(const Error& error) = 0;

 protected:
  ~StreamUser() = default;
};

// TLS, as bytes in and bytes out. Implemented by tls/; called by the stream alone.
class StreamLayer {
 public:
  enum class Status : unsigned char {
    ok,       // go on
    waiting,  // asked somebody (for a certificate): Stream::layer_ready() will be called
    ended,    // the peer's close_notify
    failed,   // see error(); an alert may stand in `wire`
  };
  virtual ~StreamLayer() = default;
  // Client side: the first flight. Server side: nothing.
  virtual Status start(base::Buffer& wire) = 0;
  // Takes all of `received` (keeps what it can't use yet); appends plain bytes and handshake output.
  virtual Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) = 0;
  // Encrypts all of `plain` in records of up to 16 KiB, the first ones of a connection small.
  virtual Status send(std::string_view plain, base::Buffer& wire) = 0;
  // close_notify.
  virtual void finish(base::Buffer& wire) = 0;
  virtual bool established() const = 0;
  virtual Error error() const = 0;
};

class Stream final : public EventSource {
 public:
  // While more than kHighMark bytes are queued writable() is false and bodies wait.
  static constexpr size_t kHighMark = 128 * 1024;
  static constexpr size_t kLowMark = 32 * 1024;
  // What one stream may read or send in a turn before others have theirs.
  static constexpr size_t kTurnBudget = 512 * 1024;

  struct Deleter {
    void operator()(Stream* stream) const;  // close, then dispose at the end of the turn
  };
  using Pointer = std::unique_ptr<Stream, Deleter>;

  // Takes over a connected, non-blocking socket.
  static Pointer adopt(Loop& loop, int descriptor, const base::Address& peer);
  // Begins to connect; `user` hears on_connected or on_failed. With `layer` its handshake follows.
  static Pointer connect(Loop& loop, const base::Address& to, StreamUser& user,
                         std::unique_ptr<StreamLayer> layer = nullptr);

  void set_user(StreamUser* user) { user_ = user; }
  // Server side: everything from here on passes through `layer`. Bytes already kept are wire bytes.
  void set_layer(std::unique_ptr<StreamLayer> layer);
  StreamLayer* layer() { return layer_.get(); }
  // The layer that answered `waiting` can go on.
  void layer_ready();
  // Where cold file ranges are read; without it they are read in the loop.
  void set_helpers(HelperPool* helpers) { helpers_ = helpers; }

  // Output, sent in order at the end of the turn. Views are copied, encrypted or sent within the
  // call: large ones (16 KiB and more) at once where the socket takes them, so that a relayed body
  // is not copied.
  void write(std::string_view bytes);
  void write(base::Slice bytes);
  void write(base::FileRange range);
  // Room for `size` bytes that the caller fills, then commit_write(count): for heads that are made
  // in place.
  char* prepare_write(size_t size);
  void commit_write(size_t size);
  // Bytes accepted by write() and not yet by the kernel (file ranges count whole).
  uint64_t queued() const { return queued_; }
  bool writable() const { return queued_ <= kHighMark; }
  void flush();  // now instead of at the end of the turn

  void pause_reading() { paused_ = true; }
  // Delivers what was kept, then reads on: at the earliest after the current call, in this turn.
  void resume_reading();
  bool reading_paused() const { return paused_; }

  // After the output: FIN (TLS: close_notify first). Reading goes on.
  void end();
  // After the output: FIN, then reads and drops at most `size_max` bytes for at most `timeout`, then
  // closes (rule R0: a client that still sends must see the answer rather than a reset). Owns
  // itself from here on; the user is not called again.
  static void linger(Pointer stream, size_t size_max, Duration timeout);
  // At once, with RST if `reset`.
  void close(bool reset = false);
  bool closed() const { return descriptor_ < 0; }

  Loop& loop() { return loop_; }
  const base::Address& peer() const { return peer_; }
  base::Address local() const;  // asks the kernel
  int descriptor() const { return descriptor_; }
  uint64_t received() const { return received_; }  // plain bytes
  uint64_t sent() const { return sent_; }          // plain bytes accepted by the kernel or encrypted
  // For the access log and PROXY protocol: replaces what peer() says.
  void set_peer(base::Address peer) { peer_ = std::move(peer); }

  void on_events(uint32_t events) override;

 private:
  friend class Loop;
  Stream(Loop& loop, int descriptor, base::Address peer);
  ~Stream();

  Loop& loop_;
  StreamUser* user_ = nullptr;
  std::unique_ptr<StreamLayer> layer_;
  HelperPool* helpers_ = nullptr;
  base::Address peer_;
  int descriptor_;
  bool paused_ = false;
  uint64_t queued_ = 0;
  uint64_t received_ = 0;
  uint64_t sent_ = 0;
  // The implementer adds what it needs: kept input, queue of output pieces, state flags.
};

}  // namespace io
