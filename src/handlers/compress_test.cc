#include "handlers/compress.h"

#include <brotli/decode.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "handlers/test_world.h"

namespace handlers {
namespace {

using http::FakeExchange;

std::string gunzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string input = bytes;
  std::string out(1 << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

std::string unbrotli(const std::string& bytes) {
  BrotliDecoderState* state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
  size_t left = bytes.size();
  const uint8_t* next = reinterpret_cast<const uint8_t*>(bytes.data());
  std::string out(1 << 22, '\0');
  size_t room = out.size();
  uint8_t* to = reinterpret_cast<uint8_t*>(out.data());
  BrotliDecoderDecompressStream(state, &left, &next, &room, &to, nullptr);
  out.resize(out.size() - room);
  BrotliDecoderDestroyInstance(state);
  return out;
}

std::string unzstd(const std::string& bytes) {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  std::string out(1 << 22, '\0');
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer output{out.data(), out.size(), 0};
  while (input.pos < input.size) {
    const size_t result = ZSTD_decompressStream(context, &output, &input);
    if (ZSTD_isError(result)) break;
  }
  out.resize(output.pos);
  ZSTD_freeDCtx(context);
  return out;
}

std::string decode(const std::string& coding, const std::string& bytes) {
  if (coding == "gzip") return gunzip(bytes);
  if (coding == "br") return unbrotli(bytes);
  if (coding == "zstd") return unzstd(bytes);
  return bytes;
}

struct Answer final : http::Handler {
  std::string body = std::string(5000, 'x');
  std::string type = "text/html; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> fields;
  int status = 200;
  http::Outcome handle(http::Exchange& exchange) override {
    if (!type.empty()) exchange.response().fields.add(http::FieldName::content_type, type);
    for (const auto& [name, value] : fields) exchange.response().fields.add(name, value);
    if (status == 304) {
      exchange.respond(304);
      return {};
    }
    exchange.response().status = status;
    exchange.respond(base::Slice::copy_of(body));
    return {};
  }
};

// Writes in pieces, as the proxy does.
struct Stream final : http::Handler {
  std::vector<std::string> pieces;
  std::string type = "text/html";
  base::Signal* between = nullptr;
  http::Outcome handle(http::Exchange& exchange) override { return run(exchange); }
  base::Task<> run(http::Exchange& exchange) {
    exchange.response().fields.add(http::FieldName::content_type, type);
    exchange.response().body = {http::BodyKind::unknown, 0};
    exchange.start();
    for (const std::string& piece : pieces) {
      if (!co_await exchange.write(std::string_view(piece))) co_return;
      if (between != nullptr) co_await between->wait();
    }
    exchange.finish();
  }
};

class CompressTest : public testing::Test {
 protected:
  http::FakeCarrier& ask(http::Handler& handler, const FakeExchange::List& fields,
                         const char* method = "GET") {
    if (filter == nullptr) filter = std::make_unique<Compress>(options);
    fake = std::make_unique<FakeExchange>(method, "/", fields);
    fake->filter(*filter);
    fake->handle(handler);
    return fake->carrier;
  }
  CompressOptions options;
  std::unique_ptr<Compress> filter;
  std::unique_ptr<FakeExchange> fake;
};

TEST_F(CompressTest, EachCodingDecodesToWhatItWas) {
  Answer answer;
  answer.body.clear();
  for (int i = 0; i < 40'000; ++i) answer.body += "line " + std::to_string(i * 7919 % 10007) + "\n";
  for (const char* coding : {"gzip", "br", "zstd"}) {
    for (int round = 0; round < 3; ++round) {  // contexts are used again
      const auto& got = ask(answer, {{"Accept-Encoding", coding}});
      EXPECT_EQ(got.field("Content-Encoding"), coding);
      EXPECT_EQ(got.field("Vary"), "Accept-Encoding");
      EXPECT_LT(got.body.size(), answer.body.size() / 2);
      EXPECT_EQ(decode(coding, got.body), answer.body) << coding;
      EXPECT_EQ(got.length.kind, http::BodyKind::unknown);
    }
  }
}

TEST_F(CompressTest, PiecesOfAnySize) {
  for (const char* coding : {"gzip", "br", "zstd"}) {
    for (size_t size : {1u, 7u, 1000u, 16384u, 100000u}) {
      Stream stream;
      std::string whole;
      for (size_t i = 0; i < 20; ++i) {
        stream.pieces.emplace_back(size, static_cast<char>('a' + i));
        whole += stream.pieces.back();
      }
      const auto& got = ask(stream, {{"Accept-Encoding", coding}});
      EXPECT_EQ(decode(coding, got.body), whole) << coding << " " << size;
      EXPECT_TRUE(got.ended);
    }
  }
}

// F08: negotiation by weight; what is refused isn't sent.
TEST_F(CompressTest, F08Negotiation) {
  Answer answer;
  const std::pair<const char*, const char*> kTable[] = {
      {"gzip, deflate, br, zstd", "zstd"},
      {"gzip, deflate, br", "br"},
      {"gzip;q=1.0, br;q=0.5", "gzip"},
      {"gzip;q=0", "(none)"},
      {"identity", "(none)"},
      {"*", "zstd"},
      {"*;q=0", "(none)"},
      {"zstd;q=0, *", "br"},
      {"identity;q=0, gzip", "gzip"},
      {"identity;q=0", "(none)"},
      {"deflate", "(none)"},
      {"", "(none)"},
  };
  for (const auto& [accept, coding] : kTable) {
    const auto& got = ask(answer, {{"Accept-Encoding", accept}});
    EXPECT_EQ(got.field("Content-Encoding"), coding) << accept;
    EXPECT_EQ(got.field("Vary"), "Accept-Encoding") << accept;
    EXPECT_EQ(decode(got.field("Content-Encoding"), got.body), answer.body);
  }
  EXPECT_EQ(ask(answer, {}).field("Vary"), "Accept-Encoding");
  EXPECT_EQ(ask(answer, {{"Accept-Encoding", "deflate"}, {"Accept-Encoding", "gzip"}})
                .field("Content-Encoding"),
            "gzip");
}

// F08: what must not be compressed.
TEST_F(CompressTest, F08WhatIsLeftAlone) {
  const FakeExchange::List all = {{"Accept-Encoding", "gzip, br, zstd"}};
  const auto plain = [&](const Answer& changed) {
    Answer answer = changed;
    const auto& got = ask(answer, all);
    EXPECT_NE(got.status, 0);
    return got.body == answer.body && got.field("Content-Encoding") != "zstd";
  };
  Answer answer;
  answer.body = std::string(1023, 'x');
  EXPECT_TRUE(plain(answer));
  EXPECT_FALSE(fake->carrier.has("Vary"));
  answer = {};
  answer.type = "image/png";
  EXPECT_TRUE(plain(answer));
  EXPECT_FALSE(fake->carrier.has("Vary"));
  answer = {};
  answer.type = "";
  EXPECT_TRUE(plain(answer));
  answer = {};
  answer.fields = {{"Content-Encoding", "gzip"}};
  EXPECT_TRUE(plain(answer));
  answer.fields = {{"Cache-Control", "public, No-Transform"}};
  EXPECT_TRUE(plain(answer));
  EXPECT_FALSE(fake->carrier.has("Vary"));
  answer.fields = {{"Content-Range", "bytes 0-4999/10000"}};
  answer.status = 206;
  EXPECT_TRUE(plain(answer));
  EXPECT_EQ(fake->carrier.field("Vary"), "Accept-Encoding");
}

// F08: ETag, 304, HEAD.
TEST_F(CompressTest, F08TagsAreWeakened) {
  Answer answer;
  answer.fields = {{"ETag", "\"abc\""}, {"Accept-Ranges", "bytes"}, {"Vary", "Cookie"}};
  const auto& got = ask(answer, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(got.field("ETag"), "W/\"abc\"");
  EXPECT_FALSE(got.has("Accept-Ranges"));
  EXPECT_EQ(got.count("Vary"), 2u);
  const auto get_fields = got.fields;
  const auto& head = ask(answer, {{"Accept-Encoding", "gzip"}}, "HEAD");
  EXPECT_EQ(head.fields, get_fields);
  EXPECT_EQ(head.length.kind, http::BodyKind::unknown);
  EXPECT_EQ(ask(answer, {{"Accept-Encoding", "identity"}}).field("ETag"), "\"abc\"");

  answer.status = 304;
  answer.type = "";
  answer.fields = {{"ETag", "\"abc\""}, {"Vary", "accept-encoding"}};
  const auto& unchanged = ask(answer, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.field("ETag"), "W/\"abc\"");
  EXPECT_EQ(unchanged.count("Vary"), 1u);
  EXPECT_FALSE(unchanged.has("Content-Encoding"));
}

TEST_F(CompressTest, TypesThatAreWanted) {
  options.types = {"text/*", "application/json"};
  Answer answer;
  const auto compressed = [&](const char* type) {
    answer.type = type;
    return ask(answer, {{"Accept-Encoding", "gzip"}}).has("Content-Encoding");
  };
  EXPECT_TRUE(compressed("text/csv"));
  EXPECT_TRUE(compressed("TEXT/HTML;charset=x"));
  EXPECT_TRUE(compressed("application/json"));
  EXPECT_FALSE(compressed("application/javascript"));
  EXPECT_FALSE(compressed("textual/html"));
}

// Server-sent events leave at once, compressed or not.
TEST_F(CompressTest, EventsAreFlushedWithEachWrite) {
  for (const char* coding : {"gzip", "br", "zstd"}) {
    base::Signal next;
    Stream stream;
    stream.type = "text/event-stream";
    stream.pieces = {"data: one\n\n", "data: two\n\n"};
    stream.between = &next;
    ask(stream, {{"Accept-Encoding", coding}});
    EXPECT_EQ(decode(coding, fake->carrier.body), "data: one\n\n") << coding;
    next.notify();
    EXPECT_EQ(decode(coding, fake->carrier.body), "data: one\n\ndata: two\n\n") << coding;
    next.notify();
    EXPECT_TRUE(fake->done());
    EXPECT_EQ(decode(coding, fake->carrier.body), "data: one\n\ndata: two\n\n") << coding;
  }
}

TEST_F(CompressTest, EncodersAreBounded) {
  auto pool = std::make_shared<EncoderPool>();
  std::vector<EncoderPool::Pointer> taken;
  for (size_t i = 0; i < EncoderPool::kEncodersMax; ++i) {
    taken.push_back(pool->take(http::Coding::kGzip, 0));
    ASSERT_NE(taken.back(), nullptr);
  }
  EXPECT_EQ(pool->take(http::Coding::kZstd, 0), nullptr);
  taken.clear();
  EXPECT_EQ(pool->at_work(), 0u);
  EncoderPool::Pointer last = pool->take(http::Coding::kZstd, 100);
  pool.reset();  // the filter goes, the response is still under way
  std::string out;
  EXPECT_TRUE(last->encode("hello", Encoder::Flush::end, out));
  EXPECT_EQ(unzstd(out), "hello");
}

TEST_F(CompressTest, ACancelledResponseGivesItsEncoderBack) {
  base::Signal never;
  Stream stream;
  stream.pieces = {std::string(5000, 'x')};
  stream.between = &never;
  ask(stream, {{"Accept-Encoding", "gzip"}});
  fake->cancel();
  fake.reset();
  Answer answer;
  EXPECT_EQ(ask(answer, {{"Accept-Encoding", "gzip"}}).field("Content-Encoding"), "gzip");
}

TEST_F(CompressTest, FilesLargeAndSmall) {
  World world;
  std::string content;
  for (int i = 0; i < 40'000; ++i) content += "line " + std::to_string(i) + "\n";
  world.write("large.txt", content);
  world.write("small.txt", content.substr(0, 20'000));
  Compress compress(options);
  for (const char* target : {"/large.txt", "/small.txt"}) {
    world.begin("GET", target, {{"Accept-Encoding", "br"}});
    world.exchange->filter(compress);
    world.exchange->handle(world.files());
    world.wait();
    const auto& got = world.exchange->carrier;
    EXPECT_EQ(got.field("Content-Encoding"), "br");
    EXPECT_TRUE(got.field("ETag").starts_with("W/"));
    EXPECT_EQ(unbrotli(got.body), target[1] == 'l' ? content : content.substr(0, 20'000));
    const std::string etag = got.field("ETag");
    world.begin("GET", target, {{"Accept-Encoding", "br"}, {"If-None-Match", etag}});
    world.exchange->filter(compress);
    world.exchange->handle(world.files());
    world.wait();
    EXPECT_EQ(world.exchange->carrier.status, 304);
    EXPECT_EQ(world.exchange->carrier.field("ETag"), etag);
    EXPECT_EQ(world.exchange->carrier.field("Vary"), "Accept-Encoding");
  }
}

}  // namespace
}  // namespace handlers
