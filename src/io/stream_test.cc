// Streams in cleartext: what comes in, ends, failures, closing.

#include "io/stream.h"

#include <sys/ioctl.h>

#include <string>
#include <vector>

#include "io/acceptor.h"
#include "io/stream_fixture.h"

namespace io {
namespace {

using Events = std::vector<std::string>;

TEST_F(StreamTest, DeliversWhatComes) {
  open();
  peer->send("hello");
  ASSERT_TRUE(until([&] { return user.bytes == "hello"; }));
  EXPECT_EQ(stream->received(), 5U);
}

TEST_F(StreamTest, KeepsWhatIsNotTakenAndOffersItInOneView) {
  // A message of 12 bytes, split at every byte: the user takes all or nothing.
  const std::string message = "GET / HTTP\r\n";
  for (size_t split = 1; split < message.size(); ++split) {
    open();
    user.bytes.clear();
    user.taking = [&](std::string_view view) {
      return view.size() < message.size() ? 0 : view.size();
    };
    peer->send(message.substr(0, split));
    user.deliveries = 0;
    ASSERT_TRUE(until([&] { return user.deliveries == 1; }));
    EXPECT_EQ(user.bytes, "");
    peer->send(message.substr(split));
    ASSERT_TRUE(until([&] { return user.deliveries == 2; }));
    EXPECT_EQ(user.last_view, message);
    EXPECT_EQ(user.bytes, message);
    stream.reset();
  }
}

TEST_F(StreamTest, TakesPartAndKeepsTheRest) {
  open();
  user.taking = [](std::string_view view) { return view.size() / 2; };
  peer->send("abcdef");
  ASSERT_TRUE(until([&] { return user.bytes == "abc"; }));
  peer->send("g");
  ASSERT_TRUE(until([&] { return user.last_view == "defg"; }));
  EXPECT_EQ(user.bytes, "abcde");
}

TEST_F(StreamTest, IsNotCalledAgainForWhatItLeftUntilMoreComes) {
  open();
  user.taking = [](std::string_view) { return 0; };
  peer->send("abc");
  ASSERT_TRUE(until([&] { return user.deliveries == 1; }));
  turn_some(loop);
  EXPECT_EQ(user.deliveries, 1);
}

TEST_F(StreamTest, PausedReadsNothingAndResumesWithWhatWasKept) {
  open();
  user.taking = [&](std::string_view) {
    stream->pause_reading();
    return size_t{1};
  };
  peer->send("abc");
  ASSERT_TRUE(until([&] { return user.bytes == "a"; }));
  peer->send("def");
  turn_some(loop);
  EXPECT_EQ(user.deliveries, 1);
  user.taking = nullptr;
  stream->resume_reading();
  EXPECT_EQ(user.deliveries, 1) << "never within the call";
  loop.turn(Duration::zero());  // one turn delivers what was kept and reads on
  EXPECT_EQ(user.bytes, "abcdef");
}

TEST_F(StreamTest, ResumesWithinACallback) {
  open();
  bool first = true;
  user.taking = [&](std::string_view view) {
    if (!std::exchange(first, false)) return view.size();
    stream->pause_reading();
    stream->resume_reading();
    return size_t{2};
  };
  peer->send("abcd");
  ASSERT_TRUE(until([&] { return user.bytes == "abcd"; }));
  EXPECT_EQ(user.deliveries, 2);
}

TEST_F(StreamTest, EndComesAfterAllBytes) {
  open();
  peer->send("last");
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  EXPECT_EQ(user.bytes, "last");
  EXPECT_EQ(user.events, (Events{"hangup", "end"}));
  stream->write("answer");  // half-closed: the other way is open
  ASSERT_TRUE(until_received(6));
}

TEST_F(StreamTest, HangupComesWhilePausedAndTheEndLater) {
  open();
  stream->pause_reading();
  peer->send("last");
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("hangup"); }));
  EXPECT_EQ(user.events, Events{"hangup"});
  EXPECT_EQ(user.bytes, "");
  stream->resume_reading();
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  EXPECT_EQ(user.bytes, "last");
  EXPECT_EQ(user.events, (Events{"hangup", "end"}));
}

TEST_F(StreamTest, EndIsToldThoughTheUserLeftBytes) {
  open();
  user.taking = [](std::string_view) { return 0; };
  peer->send("half a head");
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  EXPECT_EQ(user.bytes, "");
}

TEST_F(StreamTest, ResetIsAFailure) {
  open();
  turn_some(loop);
  peer->reset();
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  EXPECT_EQ(user.error.code, ECONNRESET);
  EXPECT_FALSE(user.saw("end"));
  EXPECT_TRUE(stream->closed());
}

TEST_F(StreamTest, ResetWhilePausedIsAFailureAtOnce) {
  open();
  stream->pause_reading();
  turn_some(loop);
  peer->reset();
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  EXPECT_EQ(user.error.code, ECONNRESET);
}

TEST_F(StreamTest, ResetAfterTheEndIsAFailure) {
  open();
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  stream->write("nobody reads this");
  turn_some(loop);
  peer->reset();
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
}

TEST_F(StreamTest, AnAnswerIsReadBeforeAFailedSendIsTold) {
  open();
  stream->pause_reading();
  peer->send("413");
  peer->close();
  stream->write("body");  // answered with a reset
  ASSERT_TRUE(until([&] { return user.saw("hangup"); }));
  stream->write("more");
  stream->resume_reading();
  ASSERT_TRUE(until([&] { return user.saw("failed") || user.saw("end"); }));
  EXPECT_EQ(user.bytes, "413");
}

TEST_F(StreamTest, AFailedSendIsNeverToldWithinTheWrite) {
  open();
  stream->pause_reading();
  peer->reset();
  // Before the loop has seen the event.
  ASSERT_TRUE(until([&] {
    char byte;
    return ::recv(stream->descriptor(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno != EAGAIN;
  }));
  stream->write(std::string(100'000, 'x'));
  stream->flush();
  EXPECT_FALSE(user.saw("failed") && !stream->closed());
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  EXPECT_EQ(std::ranges::count(user.events, "failed"), 1);
}

TEST_F(StreamTest, ClosedInACallbackIsQuiet) {
  open();
  user.taking = [&](std::string_view view) {
    stream->close();
    EXPECT_EQ(view, "abc");  // still to be looked at
    return size_t{0};
  };
  peer->send("abc");
  peer->end();
  ASSERT_TRUE(until([&] { return user.deliveries == 1; }));
  turn_some(loop);
  EXPECT_EQ(user.events, Events{});
  EXPECT_EQ(user.deliveries, 1);
}

TEST_F(StreamTest, DestroyedInACallbackWithKeptBytes) {
  open();
  user.taking = [&](std::string_view view) {
    if (view.size() < 6) return size_t{0};
    stream.reset();
    EXPECT_EQ(view, "abcdef");
    return size_t{3};
  };
  peer->send("abc");
  ASSERT_TRUE(until([&] { return user.deliveries == 1; }));
  peer->send("def");
  ASSERT_TRUE(until([&] { return user.deliveries == 2; }));
  turn_some(loop);
  peer->receive();
  EXPECT_TRUE(peer->ended());
}

TEST_F(StreamTest, ForgetsADescriptorThatAChildStillShares) {
  open();
  // What fork leaves in the child until it runs another program.
  const int shared = ::dup(stream->descriptor());
  stream.reset();
  turn_some(loop);
  peer->send("to nobody");
  turn_some(loop);
  EXPECT_EQ(user.deliveries, 0);
  ::close(shared);
}

TEST_F(StreamTest, ClosesWithResetWhenAsked) {
  open();
  stream->close(true);
  turn_some(loop);
  peer->receive();
  EXPECT_EQ(peer->failed(), ECONNRESET);
}

TEST_F(StreamTest, AnotherUserGetsWhatWasKept) {
  open();
  RecordingUser second;
  user.taking = [&](std::string_view) {
    stream->set_user(&second);
    return size_t{4};
  };
  peer->send("headbody");
  ASSERT_TRUE(until([&] { return !second.bytes.empty(); }));
  EXPECT_EQ(user.bytes, "head");
  EXPECT_EQ(second.bytes, "body");
  peer->end();
  ASSERT_TRUE(until([&] { return second.saw("end"); }));
  EXPECT_FALSE(user.saw("end"));
}

TEST_F(StreamTest, AnotherUserWhilePausedGetsNothingBeforeResume) {
  open();
  RecordingUser second;
  user.taking = [&](std::string_view) {
    stream->pause_reading();
    return size_t{4};
  };
  peer->send("headbody");
  ASSERT_TRUE(until([&] { return user.bytes == "head"; }));
  stream->set_user(&second);
  turn_some(loop);
  EXPECT_EQ(second.bytes, "");
  stream->resume_reading();
  turn_some(loop);
  EXPECT_EQ(second.bytes, "body");
}

TEST_F(StreamTest, ReadsNothingWithoutAUser) {
  const auto [server, client] = tcp_pair();
  peer = std::make_unique<Peer>(client);
  stream = Stream::adopt(loop, server, {});
  peer->send("early");
  turn_some(loop);
  stream->set_user(&user);
  ASSERT_TRUE(until([&] { return user.bytes == "early"; }));
}

TEST_F(StreamTest, OneStreamDoesNotStarveTheOthers) {
  // More than a turn's budget waits in one stream; another is served in the same turn, and the
  // first goes on in the next without an event.
  open();
  std::vector<size_t> per_turn;
  const std::string much(64 * 1024, 'm');
  size_t sent = 0;
  ASSERT_TRUE(until([&] {
    const ssize_t count = ::send(peer->descriptor(), much.data(), much.size(), MSG_DONTWAIT);
    if (count > 0) sent += static_cast<size_t>(count);
    return count < 0 || sent > 3 * Stream::kTurnBudget;
  }));
  size_t before = user.bytes.size();
  while (user.bytes.size() < sent) {
    loop.turn(Duration::zero());
    per_turn.push_back(user.bytes.size() - before);
    before = user.bytes.size();
    ASSERT_LT(per_turn.size(), 1000U);
  }
  for (const size_t size : per_turn) EXPECT_LE(size, Stream::kTurnBudget);
}

TEST_F(StreamTest, TooMuchUnreadFailsTheStream) {
  open();
  user.taking = [](std::string_view) { return 0; };
  const std::string much(256 * 1024, 'x');
  size_t sent = 0;
  ASSERT_TRUE(until([&] {
    const ssize_t count =
        ::send(peer->descriptor(), much.data(), much.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<size_t>(count);
    return user.saw("failed");
  }));
  EXPECT_EQ(user.error.kind, Error::Kind::limit);
  EXPECT_LT(sent, 3 * Stream::kKeptMax + (32U << 20));  // what the kernel's buffers hold besides
}

TEST_F(StreamTest, Connects) {
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  ASSERT_TRUE(listening);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(*listening, reinterpret_cast<sockaddr*>(&address), &size);
  const auto to = base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size);
  stream = Stream::connect(loop, *to, user);
  stream->write("before it is connected");
  EXPECT_FALSE(user.saw("connected"));
  ASSERT_TRUE(until([&] { return user.saw("connected"); }));
  peer = std::make_unique<Peer>(::accept(*listening, nullptr, nullptr));
  ::close(*listening);
  ASSERT_TRUE(until_received(22));
  EXPECT_EQ(peer->received(), "before it is connected");
  peer->send("answer");
  ASSERT_TRUE(until([&] { return user.bytes == "answer"; }));
  EXPECT_EQ(stream->local().ip_string(), "127.0.0.1");
}

TEST_F(StreamTest, FailsToConnectWhereNobodyListens) {
  const auto listening = listen(base::Address::ipv4(0x7f000001, 0), {});
  ASSERT_TRUE(listening);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(*listening, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(*listening);
  const auto to = base::Address::from_sockaddr(reinterpret_cast<sockaddr*>(&address), size);
  stream = Stream::connect(loop, *to, user);
  EXPECT_EQ(user.events, Events{});
  ASSERT_TRUE(until([&] { return user.saw("failed"); }));
  EXPECT_EQ(user.error.code, ECONNREFUSED);
  EXPECT_EQ(user.events, Events{"failed"});
}

TEST_F(StreamTest, ConnectsToAUnixSocket) {
  const std::string name = "@webship-stream-test-" + std::to_string(::getpid());
  const auto address = base::Address::unix_path(name);
  const auto listening = listen(address, {});
  ASSERT_TRUE(listening);
  stream = Stream::connect(loop, address, user);
  ASSERT_TRUE(until([&] { return user.saw("connected"); }));
  peer = std::make_unique<Peer>(::accept(*listening, nullptr, nullptr));
  ::close(*listening);
  stream->write("x");
  ASSERT_TRUE(until_received(1));
  RecordingUser other;
  auto refused = Stream::connect(loop, base::Address::unix_path("/nowhere/at/all"), other);
  ASSERT_TRUE(until([&] { return other.saw("failed"); }));
  EXPECT_EQ(other.error.code, ENOENT);
}

TEST_F(StreamTest, LingersUntilTheClientHasClosed) {
  open();
  user.taking = [&](std::string_view view) {
    stream->write("HTTP/1.1 400 Bad Request\r\n\r\n");
    Stream::linger(std::move(stream), 1 << 20, std::chrono::seconds(5));
    return view.size();
  };
  peer->send("nonsense");
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended();
  }));
  EXPECT_EQ(peer->received(), "HTTP/1.1 400 Bad Request\r\n\r\n");
  // What still comes meets no reset, and is not the user's.
  peer->send(std::string(100'000, 'x'));
  turn_some(loop);
  peer->send("y");
  turn_some(loop);
  EXPECT_EQ(user.deliveries, 1);
  peer->receive();
  EXPECT_EQ(peer->failed(), 0);
  peer->close();
  turn_some(loop);
}

// Whether the connection is gone on the other side: then what is sent is answered with a reset.
bool refused(Peer& peer, size_t size) {
  const std::string bytes(size, 'x');
  return ::send(peer.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno != EAGAIN;
}

TEST_F(StreamTest, LingersNoLongerThanItMay) {
  open();
  stream->write("answer");
  Stream::linger(std::move(stream), SIZE_MAX, std::chrono::milliseconds(30));
  ASSERT_TRUE(until([&] { return refused(*peer, 1); }));
}

TEST_F(StreamTest, LingersForNoMoreBytesThanItMay) {
  open();
  stream->write("answer");
  Stream::linger(std::move(stream), 1000, std::chrono::hours(1));
  ASSERT_TRUE(until([&] { return refused(*peer, 600); }));
}

TEST_F(StreamTest, LingerSendsAllOfALargeAnswerFirst) {
  open(16 * 1024);
  const std::string answer(1 << 20, 'a');
  stream->write(answer);
  EXPECT_GT(stream->queued(), 0U);
  Stream::linger(std::move(stream), 1000, std::chrono::milliseconds(1));
  ASSERT_TRUE(until_received(answer.size()));
  ASSERT_TRUE(until([&] {
    peer->receive();
    return peer->ended();
  }));
}

TEST_F(StreamTest, AClientThatHalfClosedStillGetsALingeringAnswer) {
  open(16 * 1024);
  peer->end();
  ASSERT_TRUE(until([&] { return user.saw("end"); }));
  const std::string answer(1 << 20, 'a');
  stream->write(answer);
  Stream::linger(std::move(stream), 1000, std::chrono::milliseconds(1));
  ASSERT_TRUE(until_received(answer.size()));
}

TEST_F(StreamTest, TheLoopMayEndWhileStreamsLinger) {
  auto [server, client] = tcp_pair();
  peer = std::make_unique<Peer>(client);
  {
    Loop inner;
    auto lingering = Stream::adopt(inner, server, {});
    Stream::linger(std::move(lingering), 1000, std::chrono::hours(1));
    turn_some(inner);
  }
  peer->receive();
  EXPECT_TRUE(peer->ended());
}

}  // namespace
}  // namespace io
