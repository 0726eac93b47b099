#include "tls/engine.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "io/loop.h"

namespace tls {

// The functions of our BIO, whose data is the engine.
struct EngineBio {
  static Engine& engine(BIO* bio) { return *static_cast<Engine*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, size_t size, size_t* got) {
    Engine& self = engine(bio);
    BIO_clear_retry_flags(bio);
    if (self.input_.empty()) {
      self.starved_ = true;
      BIO_set_retry_read(bio);
      return -1;
    }
    const size_t count = std::min(size, self.input_.size());
    if (!self.established_) {
      if (self.handshake_left_ < count) {
        self.too_large_ = true;
        return -1;  // without retry: it ends here
      }
      self.handshake_left_ -= count;
    }
    std::memcpy(into, self.input_.data(), count);
    self.input_.remove_prefix(count);
    *got = count;
    return 1;
  }

  static int write(BIO* bio, const char* data, size_t size, size_t* written) {
    Engine& self = engine(bio);
    BIO_clear_retry_flags(bio);
    assert(self.wire_ != nullptr);
    self.wire_->append({data, size});
    *written = size;
    return 1;
  }

  static long control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

  static const BIO_METHOD* method() {
    static const BIO_METHOD* const made = [] {
      BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "webship");
      BIO_meth_set_read_ex(method, read);
      BIO_meth_set_write_ex(method, write);
      BIO_meth_set_ctrl(method, control);
      return method;
    }();
    return made;
  }
};

// What the BIO reads from and writes to, for the time of one call.
class Engine::Call {
 public:
  Call(Engine& engine, std::string_view input, base::Buffer& wire) : engine_(engine) {
    engine_.input_ = input;
    engine_.wire_ = &wire;
    engine_.starved_ = false;
  }
  ~Call() {
    engine_.input_ = {};
    engine_.wire_ = nullptr;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Engine& engine_;
};

Engine::Engine(SslPointer ssl, std::shared_ptr<Worker> worker, size_t handshake_size_max)
    : ssl_(std::move(ssl)), worker_(std::move(worker)), handshake_left_(handshake_size_max) {
  BIO* bio = ssl_ != nullptr ? BIO_new(EngineBio::method()) : nullptr;
  if (bio == nullptr) {
    fail("out of memory");
    return;
  }
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
}

Engine::~Engine() {
  forget_buffers();
  // Otherwise OpenSSL takes a connection closed without close_notify for a reason to forget its
  // session, and looks for it under the context's lock. RFC 5246 7.2.1 has given that up.
  if (established_ && !failed_) {
    SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
}

io::Error Engine::error() const { return {.kind = kind_, .code = 0, .detail = reason_}; }

Engine::Status Engine::fail(std::string reason, io::Error::Kind kind) {
  failed_ = true;
  kind_ = kind;
  reason_ = std::move(reason);
  forget_buffers();
  kept_.release();
  return Status::failed;
}

Engine::Status Engine::start(base::Buffer& wire) {
  if (failed_) return Status::failed;
  const Call call(*this, {}, wire);
  return handshake();
}

Engine::Status Engine::receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) {
  if (failed_) return Status::failed;
  if (ended_) return Status::ended;
  if (established_) {
    const Call call(*this, received, wire);
    return read_records(plain);
  }
  const bool from_kept = !kept_.empty();
  if (from_kept) kept_.append(received);
  const std::string_view input = from_kept ? kept_.view() : received;
  const Call call(*this, input, wire);
  Status status = handshake();
  if (status == Status::ok && established_) status = read_records(plain);
  if (status == Status::waiting) {
    // The rest comes again with the certificate.
    if (input_.size() > kKeptMax) {
      return fail("more than a handshake before it could go on", io::Error::Kind::limit);
    }
    if (from_kept) {
      kept_.consume(kept_.size() - input_.size());
    } else {
      kept_.append(input_);
    }
  } else if (from_kept) {
    kept_.release();
  }
  return status;
}

Engine::Status Engine::handshake() {
  if (SSL_do_handshake(ssl_.get()) != 1) return stopped();
  established_ = true;
  touch_buffers();
  return Status::ok;
}

Engine::Status Engine::read_records(base::Buffer& plain) {
  touch_buffers();
  // A whole record fits into what is offered, so once the input is used up OpenSSL holds no plain
  // bytes, and there is no read that only finds that out.
  while (!input_.empty()) {
    char* into = plain.reserve(kLargeRecord);
    size_t size = 0;
    if (SSL_read_ex(ssl_.get(), into, plain.writable(), &size) == 1) {
      plain.commit(size);
      continue;
    }
    if (const Status status = stopped(); status != Status::ok) return status;
    break;  // it has read all there was
  }
  return Status::ok;
}

// Why OpenSSL returned without success. Not SSL_get_error: that needs the thread's error queue
// emptied before every call, which costs as much as the call. Not SSL_want either, which says
// "reading" of a broken record too.
Engine::Status Engine::stopped() {
  if (starved_) return Status::ok;
  if (SSL_want(ssl_.get()) == SSL_X509_LOOKUP) return Status::waiting;
  std::string reason = take_openssl_error();
  if (too_large_) return fail("handshake too large", io::Error::Kind::limit);
  if (reason.empty() && (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0) {
    ended_ = true;
    forget_buffers();
    return Status::ended;
  }
  if (!established_) {
    if (const long verdict = SSL_get_verify_result(ssl_.get()); verdict != X509_V_OK) {
      reason += std::string(": ") + X509_verify_cert_error_string(verdict);
    }
  }
  return fail(std::move(reason));
}

Engine::Status Engine::send(std::string_view plain, base::Buffer& wire) {
  if (failed_) return Status::failed;
  assert(established_);
  if (worker_->loop() != nullptr) {
    const io::Time now = worker_->loop()->now();
    if (now - last_sent_ > kPause) small_left_ = kSmallBytes;
    last_sent_ = now;
  }
  touch_buffers();
  const Call call(*this, {}, wire);
  while (!plain.empty()) {
    size_t size = plain.size();
    size_t record = kLargeRecord;
    if (small_left_ > 0) {
      size = std::min(size, small_left_);
      small_left_ -= size;
      if (small_left_ < kSmallRecord) small_left_ = 0;
      record = kSmallRecord;
    }
    if (size > kSmallRecord) set_record_size(record == kSmallRecord);
    // Header, explicit nonce, content type and tag: at most 40 bytes with the ciphers of today.
    wire.reserve(size + (size / record + 1) * 40);
    size_t written = 0;
    if (SSL_write_ex(ssl_.get(), plain.data(), size, &written) != 1) {
      return fail(take_openssl_error());
    }
    plain.remove_prefix(written);
  }
  return Status::ok;
}

void Engine::set_record_size(bool small) {
  if (small == record_small_) return;
  record_small_ = small;
  SSL_set_split_send_fragment(ssl_.get(), small ? kSmallRecord : kLargeRecord);
}

void Engine::finish(base::Buffer& wire) {
  if (failed_ || !established_) return;
  const Call call(*this, {}, wire);
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

std::string_view Engine::version() const { return SSL_get_version(ssl_.get()); }

std::string_view Engine::cipher() const { return SSL_get_cipher_name(ssl_.get()); }

std::string_view Engine::alpn() const {
  const unsigned char* name = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

bool Engine::resumed() const { return SSL_session_reused(ssl_.get()) == 1; }

void Engine::touch_buffers() {
  if (worker_->newest_ == this) return;
  forget_buffers();
  older_ = worker_->newest_;
  if (older_ != nullptr) older_->newer_ = this;
  worker_->newest_ = this;
  if (worker_->oldest_ == nullptr) worker_->oldest_ = this;
  listed_ = true;
  if (++worker_->count_ <= Worker::kBuffersMax) return;
  Engine* oldest = worker_->oldest_;
  oldest->forget_buffers();
  SSL_free_buffers(oldest->ssl_.get());  // keeps an incomplete record
}

void Engine::forget_buffers() {
  if (!listed_) return;
  (newer_ != nullptr ? newer_->older_ : worker_->newest_) = older_;
  (older_ != nullptr ? older_->newer_ : worker_->oldest_) = newer_;
  newer_ = older_ = nullptr;
  listed_ = false;
  --worker_->count_;
}

}  // namespace tls
