// Streams through a security layer, here the XOR toy.

#include <string>
#include <vector>

#include "io/acceptor.h"
#include "io/file.h"
#include "io/helper_pool.h"
#include "io/stream.h"
#include "io/stream_fixture.h"
#include "io/temporary_folder.h"

namespace io {
namespace {

using Names = std::vector<std::string>;

class StreamLayerTest : public StreamTest {
 protected:
  void open_secured(int send_buffer = 0) {
    open(send_buffer);
    set_server_layer();
    peer->send("?");
    ASSERT_TRUE(until_received(1));
    ASSERT_EQ(peer->take(), "!");
    peer->send(".");
    ASSERT_TRUE(until([&] { return user.saw("secured"); }));
    user.events.clear();
  }
  void set_server_layer() {
    auto owned = std::make_unique<XorLayer>(XorLayer::Side::server);
    layer = owned.get();
    stream->set_layer(std::move(owned));
  }
  bool until_deciphered(size_t size) {
    return until([&] {
      peer->receive();
      return decipher(peer->received()).size() >= size;
    });
  }

  XorLayer* layer = nullptr;
};

TEST_F(StreamLayerTest, HandshakesSplitAtEveryByte) {
  const std::string wire = "?." + XorLayer::record("hello") + XorLayer::record(" world");
  for (size_t split = 1; split < wire.size(); ++split) {
    open();
    set_server_layer();
    user.bytes.clear();
    user.events.clear();
    peer->send(wire.substr(0, split));
    turn_some(loop);
    peer->send(wire.substr(split));
    ASSERT_TRUE(until([&] { return user.bytes == "hello world"; }));
    EXPECT_EQ(user.events, Names{"secured"});
    EXPECT_EQ(stream->received(), 11U);
    stream->write("answer");
    ASSERT_TRUE(until_received(1 + 8));
    EXPECT_EQ(decipher(std::string_view(peer->received()).substr(1)), "answer");
    stream.reset();
  }
}

TEST_F(StreamLayerTest, SecuredComesBeforeAnyByteAndMayHandOver) {
  open();
  set_server_layer();
  RecordingUser second;
  user.on_event = [&](const std::string&) { stream->set_user(&second); };
  peer->send("?." + XorLayer::record("hello"));
  ASSERT_TRUE(until([&] { return second.bytes == "hello"; }));
  EXPECT_EQ(user.bytes, "");
  EXPECT_EQ(user.events, Names{"secured"});
}

TEST_F(StreamLayerTest, BytesKeptBeforeTheLayerAreWireBytes) {
  open();
  user.taking = [&](std::string_view) {
    user.taking = nullptr;
    set_server_layer();
    return size_t{6};  // a PROXY header before the handshake
  };
  peer->send("PROXY\n?." + XorLayer::record("hello"));
  ASSERT_TRUE(until([&] { return user.bytes == "PROXY\nhello"; }));
  EXPECT_EQ(user.events, Names{"secured"});
  EXPECT_EQ(stream->received(), 11U);
}

TEST_F(StreamLayerTest, HeadAndBodyAreOneRecord) {
  open_secured();
  layer->sends.clear();
  stream->write("head");
  stream->write(std::string(3000, 'b'));
  stream->write(base::Slice::copy_of(std::string(5000, 's')));
  EXPECT_EQ(stream->queued(), 8004U);
  ASSERT_TRUE(until_deciphered(8004));
  EXPECT_EQ(layer->sends, std::vector<size_t>{8004});
  EXPECT_EQ(stream->queued(), 0U);
  EXPECT_EQ(stream->sent(), 8004U);
}

TEST_F(StreamLayerTest, ALargeViewIsEncryptedWithinTheCall) {
  open_secured();
  layer->sends.clear();
  std::string view(200'000, 'v');
  stream->write(view);
  EXPECT_GE(layer->sends.size(), 1U);
  view.assign(view.size(), '!');
  ASSERT_TRUE(until_deciphered(200'000));
  EXPECT_TRUE(decipher(peer->received()) == std::string(200'000, 'v'));
}

TEST_F(StreamLayerTest, BackPressureCountsWireBytes) {
  open_secured(8192);
  std::string expected;
  const std::string piece(10'000, 'p');
  while (stream->writable()) {
    stream->write(piece);
    expected += piece;
    stream->flush();
    ASSERT_LT(expected.size(), 100U << 20);
  }
  EXPECT_GT(stream->queued(), Stream::kHighMark);
  ASSERT_TRUE(until([&] {
    peer->receive();
    return user.saw("writable");
  }));
  ASSERT_TRUE(until_deciphered(expected.size()));
  EXPECT_TRUE(decipher(peer->received()) == expected);
  EXPECT_EQ(stream->queued(), 0U);
}

TEST_F(StreamLayerTest, SendsFiles) {
  const TemporaryFolder folder;
  std::string content(5 << 20, '\0');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + (i >> 11));
  folder.write("file", content);
  auto root = Directory::open(folder.path(), Symlinks::inside);
  HelperPool helpers;
  for (const bool cold : {false, true}) {
    open_secured();
    stream->set_helpers(&helpers);
    base::FileReference file = root->open("file")->file;
    if (cold) {
      ::fdatasync(file.descriptor());
      ::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    }
    stream->write("head");
    stream->write(base::FileRange{std::move(file), 5, content.size() - 5});
    stream->end();
    ASSERT_TRUE(until([&] {
      peer->receive();
      return peer->ended();
    }));
    EXPECT_TRUE(decipher(peer->received()) == "head" + content.substr(5));
    stream.reset();
  }
}

TEST_F(StreamLayerTest, F09AShorterFileEndsTheStreamWithoutFinishing) {
  const TemporaryFolder folder;
  folder.write("file", std::string(1 << 20, 'f'));
  auto root = Directory::open(folder.path(), Symlinks::inside);
  open_secured();
  stream->write(base::FileRange{root->open("file")->file, 0, 1 << 20});
  ASSERT_EQ(::truncate(folder.path("file").c_str(), 1000), 0);
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  peer->receive();
  EXPECT_FALSE(peer->received().ends_with(XorLayer::record({})));
}

TEST_F(StreamLayerTest, EndIsCloseNotifyAndFin) {
  open_secured();
  stream->write("last");
  stream->end();
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended();
  }));
  EXPECT_EQ(peer->received(), XorLayer::record("last") + XorLayer::record({}));
  EXPECT_EQ(user.events, Names{"drained"});
}

TEST_F(StreamLayerTest, CloseNotifyIsAnEnd) {
  open_secured();
  peer->send(XorLayer::record("last") + XorLayer::record({}));
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  EXPECT_EQ(user.bytes, "last");
  EXPECT_EQ(user.events, (Names{"hangup", "end"}));
  peer->end();
  turn_some(loop);
  EXPECT_EQ(user.events, (Names{"hangup", "end"}));
}

TEST_F(StreamLayerTest, AFinWithoutCloseNotifyIsAFailure) {
  open_secured();
  peer->send(XorLayer::record("cut"));
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  EXPECT_EQ(user.bytes, "cut");
  EXPECT_EQ(user.error.kind, Error::Kind::closed);
  EXPECT_FALSE(user.saw("end"));
}

TEST_F(StreamLayerTest, AFailedHandshakeSendsItsAlert) {
  open();
  set_server_layer();
  user.on_event = [&](const std::string& event) {
    if (event == "failed") {
      Stream::linger(std::move(stream), 1000, std::chrono::milliseconds(500));
    }
  };
  peer->send("GET / HTTP/1.1\r\n\r\n");
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended();
  }));
  EXPECT_EQ(peer->received(), "#");
  EXPECT_EQ(user.error.kind, Error::Kind::security);
  EXPECT_EQ(user.bytes, "");
}

TEST_F(StreamLayerTest, ALayerMayWaitForSomebody) {
  open();
  set_server_layer();
  layer->ask = true;
  peer->send("?");
  turn_some(loop);
  peer->send(".");
  turn_some(loop);
  peer->receive();
  EXPECT_EQ(peer->received(), "");
  layer->ask = false;
  stream->layer_ready();
  ASSERT_TRUE(until([&] { return user.saw("secured"); }));
  ASSERT_TRUE(until_received(1));
}

TEST_F(StreamLayerTest, PausedKeepsPlainBytesAndReadsNoMore) {
  open_secured();
  user.taking = [&](std::string_view) {
    stream->pause_reading();
    return size_t{1};
  };
  peer->send(XorLayer::record("abc"));
  ASSERT_TRUE(until([&] { return user.bytes == "a"; }));
  peer->send(XorLayer::record("def"));
  turn_some(loop);
  user.taking = nullptr;
  stream->resume_reading();
  ASSERT_TRUE(until([&] { return user.bytes == "abcdef"; }));
}

TEST_F(StreamLayerTest, WhatWasLeftAndWhatComesAreOneView) {
  open_secured();
  user.taking = [&](std::string_view view) { return view.size() < 6 ? 0 : view.size(); };
  peer->send(XorLayer::record("abc"));
  turn_some(loop);
  peer->send(XorLayer::record("def"));
  ASSERT_TRUE(until([&] { return user.bytes == "abcdef"; }));
  EXPECT_EQ(user.last_view, "abcdef");
}

TEST_F(StreamLayerTest, ClosedWithinSecured) {
  open();
  set_server_layer();
  user.on_event = [&](const std::string&) { stream->close(); };
  peer->send("?." + XorLayer::record("hello"));
  ASSERT_TRUE(until([&] { return user.saw("secured"); }));
  turn_some(loop);
  EXPECT_EQ(user.bytes, "");
}

TEST_F(StreamLayerTest, ConnectsWithALayer) {
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  ASSERT_TRUE(listening);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(*listening, reinterpret_cast<sockaddr*>(&address), &size);
  const auto to = base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size);
  stream = Stream::connect(loop, *to, user, std::make_unique<XorLayer>(XorLayer::Side::client));
  stream->write("request");
  turn_some(loop);
  peer = std::make_unique<Peer>(::accept(*listening, nullptr, nullptr));
  ::close(*listening);
  ASSERT_TRUE(until_received(1));
  EXPECT_EQ(peer->received(), "?");
  EXPECT_FALSE(user.saw("connected"));
  peer->send("!" + XorLayer::record("early"));
  ASSERT_TRUE(until_received(2 + 9));
  EXPECT_EQ(peer->received(), "?." + XorLayer::record("request"));
  EXPECT_EQ(user.events, Names{"connected"});
  EXPECT_EQ(user.bytes, "early");
}

TEST_F(StreamLayerTest, TwoStreamsTalk) {
  // Both ends are streams, so that every callback meets the others of the same turn.
  open();
  const auto [server, client] = tcp_pair();
  Peer unused(::dup(client));
  auto a = Stream::adopt(loop, server, {});
  RecordingUser user_a;
  a->set_user(&user_a);
  a->set_layer(std::make_unique<XorLayer>(XorLayer::Side::server));
  ASSERT_EQ(::fcntl(client, F_SETFL, O_NONBLOCK), 0);
  auto b = Stream::adopt(loop, client, {});
  RecordingUser user_b;
  b->set_user(&user_b);
  b->set_layer(std::make_unique<XorLayer>(XorLayer::Side::client));
  std::string text(1'000'000, '\0');
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 26);
  user_a.taking = [&](std::string_view view) {
    a->write(view);  // echo
    return view.size();
  };
  b->write(text);
  ASSERT_TRUE(until([&] { return user_b.bytes.size() == text.size(); }));
  EXPECT_TRUE(user_b.bytes == text);
}

}  // namespace
}  // namespace io
