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

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

#include "base/address.h"
#include "base/buffer.h"
#include "base/file_range.h"
#include "base/slice.h"
#include "io/error.h"
#include "io/loop.h"
#include "io/output_queue.h"

namespace io {

class HelperPool;
class ColdRead;

class StreamUser {
 public:
  // Plain bytes, valid for the call. Returns how many were taken. After pause_reading() the stream
  // calls no more until resume_reading().
  virtual size_t on_bytes(std::string_view bytes) = 0;
  // All bytes were delivered and the peer sends no more. (With TLS: close_notify came.) A stream
  // cut without close_notify is on_failed with kind closed.
  virtual void on_end() = 0;
  // The peer closed its sending side, though bytes may wait unread: comes even while reading is
  // paused, so that a request can be cancelled whose client has gone. Once, before on_end; what can
  // be delivered is delivered before.
  virtual void on_hangup() {}
  // queued() fell to kLowMark after writable() had been false.
  virtual void on_writable() = 0;
  // Connected (client side): the socket, and the handshake of its layer, are done.
  virtual void on_connected() {}
  // The handshake of a layer given by set_layer() is done: before any plain byte is delivered, so
  // that the user may ask the layer which protocol was chosen and hand over with set_user().
  virtual void on_secured() {}
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
  // Takes all of `received` (keeps what it can't use yet); appends plain bytes and handshake
  // output.
  virtual Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) = 0;
  // Encrypts all of `plain` in records of up to 16 KiB, the first ones of a connection small.
  virtual Status send(std::string_view plain, base::Buffer& wire) = 0;
  // close_notify.
  virtual void finish(base::Buffer& wire) = 0;
  virtual bool established() const = 0;
  virtual Error error() const = 0;
};

class Stream final : public EventSource, public Disposable {
 public:
  // While more than kHighMark bytes are queued writable() is false and bodies wait.
  static constexpr size_t kHighMark = 128 * 1024;
  static constexpr size_t kLowMark = 32 * 1024;
  // What one stream may read or send in a turn before others have theirs.
  static constexpr size_t kTurnBudget = 512 * 1024;
  // What on_bytes may leave unread while it is not paused: a user that bounds what it waits for
  // (the size of a head) never gets there. Beyond it the stream fails with kind limit.
  static constexpr size_t kKeptMax = 4 * 1024 * 1024;
  // Views of this size and more are sent within write(); below, copying is cheaper than a send.
  static constexpr size_t kDirectSize = 16 * 1024;

  struct Deleter {
    void operator()(Stream* stream) const;  // close, then dispose at the end of the turn
  };
  using Pointer = std::unique_ptr<Stream, Deleter>;

  // Takes over a connected, non-blocking socket.
  static Pointer adopt(Loop& loop, int descriptor, const base::Address& peer);
  // Begins to connect; `user` hears on_connected or on_failed. With `layer` its handshake follows.
  static Pointer connect(Loop& loop, const base::Address& to, StreamUser& user,
                         std::unique_ptr<StreamLayer> layer = nullptr);

  // Hands over to another user: what was kept, and an end that has come, are reported to it later
  // in the turn, or after resume_reading() where reading is paused. Without a user nothing is read.
  void set_user(StreamUser* user);
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
  uint64_t queued() const { return queued_ + wire_.size(); }
  bool writable() const { return queued() <= kHighMark; }
  // Did the peer take some of what the kernel holds, as far as is known since the kernel last took
  // something or since the last call? A large send buffer keeps a slow reader busy for longer than
  // a timeout between two on_progress(). A system call, for when time is up.
  bool delivering();
  void flush();  // now instead of at the end of the turn

  void pause_reading() { paused_ = true; }
  // Delivers what was kept, then reads on: at the earliest after the current call, in this turn.
  void resume_reading();
  bool reading_paused() const { return paused_; }

  // After the output: FIN (TLS: close_notify first). Reading goes on.
  void end();
  // After the output: FIN, then reads and drops at most `size_max` bytes for at most `timeout`,
  // then closes (rule R0: a client that still sends must see the answer rather than a reset). Owns
  // itself from here on; the user is not called again.
  static void linger(Pointer stream, size_t size_max, Duration timeout);
  // At once, with RST if `reset`.
  void close(bool reset = false);
  bool closed() const { return closed_; }

  Loop& loop() { return loop_; }
  const base::Address& peer() const { return peer_; }
  base::Address local() const;  // asks the kernel
  int descriptor() const { return descriptor_; }
  uint64_t received() const { return received_; }  // plain bytes
  uint64_t sent() const { return sent_; }  // plain bytes accepted by the kernel or encrypted
  // For the access log and PROXY protocol: replaces what peer() says.
  void set_peer(base::Address peer) { peer_ = std::move(peer); }

  void on_events(uint32_t events) override;

 private:
  friend class Loop;
  friend class Linger;
  friend class ColdRead;
  Stream(Loop& loop, int descriptor, base::Address peer);
  ~Stream() override;

  // Called by the loop: at the end of a turn, and where the last turn's budget was used up.
  void settle_output();
  void continue_turn();
  // What was put off because it must not happen within a call from the user.
  void schedule() { loop_.defer(later_); }
  void run_later();

  void begin_connect(const base::Address& to);
  void finish_connect();
  [[gnu::cold]] void fail(Error error);
  void report_failure();

  void pump_input();
  size_t receive_once();  // how many bytes came from the socket
  void take_end();
  void take_plain(std::string_view bytes);
  void take_wire(std::string_view bytes);
  void feed_kept();
  void start_layer();
  void report_layer();
  void deliver(std::string_view bytes);
  void deliver_kept();
  void report_input();

  void mark_dirty();
  void mark_ready();
  void note_written(size_t size);
  bool can_send() const { return socket_writable_ && !closed_ && !failed_ && !connecting_; }
  bool within_budget();
  void send_output();
  void send_clear(std::string_view view, size_t& taken);
  bool send_file();
  bool prepare_file(OutputQueue::Piece& piece);
  [[gnu::cold]] bool file_unready(const std::expected<size_t, Error>& size);
  bool copy_file();
  [[gnu::cold]] void fail_file();
  [[gnu::cold]] void fail_sending(int error);
  void send_secured(std::string_view view, size_t& taken);
  void encrypt_queue(base::Buffer& wire);
  bool encrypt_file(base::Buffer& wire);
  bool encrypt(std::string_view plain, base::Buffer& wire);
  bool send_wire(base::Buffer& fresh);
  // How many bytes the kernel took; 0 when it takes none now; fails the stream and returns -1.
  ssize_t transmit(const iovec* pieces, int count, int flags);
  [[gnu::cold]] void read_cold();
  void take_cold(base::Slice bytes, int error);
  void report_output();

  Loop& loop_;
  StreamUser* user_ = nullptr;
  std::unique_ptr<StreamLayer> layer_;
  HelperPool* helpers_ = nullptr;
  std::shared_ptr<ColdRead> cold_;  // a part of a file that a helper reads
  std::unique_ptr<Error> error_;    // why it failed
  base::Address peer_;
  Deferred later_;
  OutputQueue queue_;    // plain, in order
  base::Buffer wire_;    // encrypted, and refused by the socket or made by a handshake
  base::Buffer kept_;    // delivered and not taken, or not delivered because of a pause
  uint64_t queued_ = 0;  // bytes in queue_
  uint64_t received_ = 0;
  uint64_t sent_ = 0;
  uint32_t undelivered_ = UINT32_MAX;  // in the kernel when delivering() last asked
  uint32_t turn_ = 0;                  // the turn that turn_sent_ belongs to
  uint32_t turn_sent_ = 0;             // of kTurnBudget
  int descriptor_;

  bool closed_ = false;
  bool failed_ = false;  // error_ says why; nothing is sent any more
  bool failure_reported_ = false;
  bool salvage_ = false;  // sending failed: what can be read comes before on_failed()
  bool connecting_ = false;
  bool client_ = false;  // made by connect()
  bool connect_reported_ = false;
  // Input.
  bool paused_ = false;
  bool readable_ = false;  // the socket may hold bytes or an end
  bool hangup_ = false;    // the peer closed its side, or the connection broke
  bool hangup_reported_ = false;
  bool ended_ = false;  // no more plain bytes will come
  bool end_reported_ = false;
  bool delivering_ = false;  // within on_bytes
  bool redeliver_ = false;   // kept_ is to be offered again
  bool discarding_ = false;  // lingering: raw bytes are counted and dropped
  // The layer.
  bool layer_started_ = false;
  bool layer_waiting_ = false;  // for layer_ready()
  bool layer_ready_ = false;
  bool layer_reported_ = false;  // on_secured() or on_connected() was called
  bool layer_finished_ = false;  // close_notify was made
  // Output.
  bool socket_writable_ = true;  // the last send was taken whole
  bool end_wanted_ = false;
  bool fin_sent_ = false;
  bool drained_ = false;  // to be reported
  bool drain_reported_ = false;
  bool blocked_ = false;     // writable() was false: on_writable() is owed
  bool progressed_ = false;  // to be reported
  bool dirty_ = false;       // in the loop's list for this turn's flush
  bool ready_ = false;       // in the loop's list for the next turn
};

}  // namespace io
