#include "handlers/encoder.h"

#include <brotli/encode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace handlers {

namespace {

constexpr size_t kOutputStep = 16 * 1024;

// Room for `kOutputStep` more bytes at the end of a string, and how much of it was used.
class Room {
 public:
  explicit Room(std::string& out) : out_(out), begin_(out.size()) {
    out_.resize_and_overwrite(begin_ + kOutputStep, [](char*, size_t size) { return size; });
  }
  char* data() { return out_.data() + begin_; }
  void used(size_t size) { out_.resize(begin_ + size); }

 private:
  std::string& out_;
  size_t begin_;
};

class GzipEncoder final : public Encoder {
 public:
  ~GzipEncoder() override {
    if (made_) deflateEnd(&stream_);
  }
  http::Coding coding() const override { return http::Coding::kGzip; }

  bool begin(uint64_t) override {
    constexpr int kLevel = 5;
    constexpr int kGzipWindow = 15 + 16;
    if (made_) return deflateReset(&stream_) == Z_OK;
    made_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    return made_;
  }

  bool encode(std::string_view bytes, Flush flush, std::string& out) override {
    // zlib takes at most an unsigned int at a time; bodies come in pieces far smaller.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    const int mode = flush == Flush::end    ? Z_FINISH
                     : flush == Flush::sync ? Z_SYNC_FLUSH
                                            : Z_NO_FLUSH;
    for (;;) {
      Room room(out);
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = kOutputStep;
      const int result = deflate(&stream_, mode);
      room.used(kOutputStep - stream_.avail_out);
      if (result == Z_STREAM_END) return true;
      if (result != Z_OK && result != Z_BUF_ERROR) return false;
      if (stream_.avail_out != 0 && stream_.avail_in == 0) return flush != Flush::end;
    }
  }

 private:
  z_stream stream_{};
  bool made_ = false;
};

// The library has no way to start one again: kept only as long as one body lasts.
class BrotliEncoder final : public Encoder {
 public:
  ~BrotliEncoder() override { BrotliEncoderDestroyInstance(state_); }
  http::Coding coding() const override { return http::Coding::kBrotli; }

  bool begin(uint64_t size) override {
    constexpr uint32_t kQuality = 4;
    constexpr int kWindowMax = 19;  // 512 KiB; a larger one gains little at this quality
    BrotliEncoderDestroyInstance(state_);
    state_ = BrotliEncoderCreateInstance(nullptr, nullptr, nullptr);
    if (state_ == nullptr) return false;
    const int window =
        size == 0 ? kWindowMax : std::clamp<int>(std::bit_width(size), 10, kWindowMax);
    BrotliEncoderSetParameter(state_, BROTLI_PARAM_QUALITY, kQuality);
    BrotliEncoderSetParameter(state_, BROTLI_PARAM_LGWIN, static_cast<uint32_t>(window));
    const uint64_t hint = std::min<uint64_t>(size, 1u << 30);
    BrotliEncoderSetParameter(state_, BROTLI_PARAM_SIZE_HINT, static_cast<uint32_t>(hint));
    return true;
  }

  bool encode(std::string_view bytes, Flush flush, std::string& out) override {
    const uint8_t* next = reinterpret_cast<const uint8_t*>(bytes.data());
    size_t left = bytes.size();
    const auto operation = flush == Flush::end    ? BROTLI_OPERATION_FINISH
                           : flush == Flush::sync ? BROTLI_OPERATION_FLUSH
                                                  : BROTLI_OPERATION_PROCESS;
    for (;;) {
      // Output is taken from the library's own buffer.
      size_t no_room = 0;
      if (!BrotliEncoderCompressStream(state_, operation, &left, &next, &no_room, nullptr,
                                       nullptr)) {
        return false;
      }
      size_t size = 0;
      const uint8_t* made = BrotliEncoderTakeOutput(state_, &size);
      out.append(reinterpret_cast<const char*>(made), size);
      if (left == 0 && size == 0 && !BrotliEncoderHasMoreOutput(state_)) break;
    }
    return flush != Flush::end || BrotliEncoderIsFinished(state_);
  }

 private:
  BrotliEncoderState* state_ = nullptr;
};

class ZstdEncoder final : public Encoder {
 public:
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  http::Coding coding() const override { return http::Coding::kZstd; }

  bool begin(uint64_t size) override {
    constexpr int kLevel = 3;
    constexpr int kWindowMax = 18;  // RFC 9659 allows 8 MiB; memory is worth more
    if (context_ == nullptr) context_ = ZSTD_createCCtx();
    if (context_ == nullptr) return false;
    ZSTD_CCtx_reset(context_, ZSTD_reset_session_and_parameters);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, kLevel);
    // Not the pledged size: a body that is not as long as was said must not fail here.
    const int window =
        size == 0 ? kWindowMax : std::clamp<int>(std::bit_width(size), 10, kWindowMax);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, window);
    return true;
  }

  bool encode(std::string_view bytes, Flush flush, std::string& out) override {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    const auto mode = flush == Flush::end    ? ZSTD_e_end
                      : flush == Flush::sync ? ZSTD_e_flush
                                             : ZSTD_e_continue;
    for (;;) {
      Room room(out);
      ZSTD_outBuffer output{room.data(), kOutputStep, 0};
      const size_t left = ZSTD_compressStream2(context_, &output, &input, mode);
      room.used(output.pos);
      if (ZSTD_isError(left)) return false;
      const bool taken = input.pos == input.size;
      if (taken && (flush == Flush::none ? output.pos < kOutputStep : left == 0)) return true;
    }
  }

 private:
  ZSTD_CCtx* context_ = nullptr;
};

std::unique_ptr<Encoder> make(http::Coding coding) {
  switch (coding) {
    case http::Coding::kGzip:
      return std::make_unique<GzipEncoder>();
    case http::Coding::kBrotli:
      return std::make_unique<BrotliEncoder>();
    case http::Coding::kZstd:
      return std::make_unique<ZstdEncoder>();
    case http::Coding::kIdentity:
      break;
  }
  return nullptr;
}

}  // namespace

void EncoderPool::Return::operator()(Encoder* encoder) const {
  std::unique_ptr<Encoder> back(encoder);
  --pool->at_work_;
  if (back->coding() == http::Coding::kBrotli) return;
  auto& kept = pool->kept_[static_cast<size_t>(back->coding())];
  if (kept.size() < kKeptMax) kept.push_back(std::move(back));
}

EncoderPool::Pointer EncoderPool::take(http::Coding coding, uint64_t size) {
  if (at_work_ >= kEncodersMax || coding == http::Coding::kIdentity) return {};
  auto& kept = kept_[static_cast<size_t>(coding)];
  std::unique_ptr<Encoder> encoder;
  if (kept.empty()) {
    encoder = make(coding);
  } else {
    encoder = std::move(kept.back());
    kept.pop_back();
  }
  if (!encoder->begin(size)) return {};
  ++at_work_;
  return Pointer(encoder.release(), Return{shared_from_this()});
}

}  // namespace handlers
