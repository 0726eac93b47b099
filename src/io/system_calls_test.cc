// How many system calls a kept-alive request costs: one recv, one send, besides the wait.
//
// The server is a child that this test traces (ptrace): every system call it makes is seen.

#include "io/traced_child.h"

#include <functional>
#include <string>

#include "io/stream.h"
#include "io/stream_fixture.h"
#include "io/timer.h"

namespace io {
namespace {

class Answering final : public StreamUser {
 public:
  explicit Answering(Stream::Pointer opened)
      : stream_(std::move(opened)), idle_(stream_->loop(), [](void*) { ::_exit(0); }, nullptr) {
    stream_->set_user(this);
    idle_.set_after(std::chrono::seconds(60));
  }
  Stream& stream() { return *stream_; }
  size_t on_bytes(std::string_view bytes) override {
    if (bytes.back() != '\n') return 0;
    for (const char c : bytes) {
      if (c == '\n') stream_->write("HTTP/1.1 200 OK\r\n\r\n");
    }
    idle_.set_after(std::chrono::seconds(60));  // pushed back with every request
    return bytes.size();
  }
  void on_end() override { ::_exit(0); }
  void on_writable() override {}
  void on_failed(const Error&) override { ::_exit(1); }

 private:
  Stream::Pointer stream_;
  Timer idle_;
};

[[noreturn]] void serve(int descriptor, bool secured) {
  Loop loop;
  Answering user(Stream::adopt(loop, descriptor, {}));
  if (secured) user.stream().set_layer(std::make_unique<XorLayer>(XorLayer::Side::server));
  TracedChild::announce();
  for (;;) loop.turn(Duration::max());
}

bool is_wait(uint64_t number) {
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return true;
#endif
  return number == SYS_epoll_pwait || number == SYS_epoll_pwait2;
}

class SystemCalls : public testing::Test {
 protected:
  void start(bool secured = false) {
    const auto [server, client] = tcp_pair();
    child_.start([server, client, secured] {
      ::close(client);
      serve(server, secured);
    });
    ::close(server);
    peer_ = std::make_unique<Peer>(client);
    until_wait();  // the first one: it will return at once, for the socket is writable
    until_wait();
  }

  // Lets the child go on to its next wait. Returns what it called before.
  TracedChild::Calls until_wait() { return child_.until(is_wait); }
  static int total(const TracedChild::Calls& calls) { return TracedChild::total(calls); }
  static std::string text(const TracedChild::Calls& calls) { return TracedChild::text(calls); }

  TracedChild child_;
  std::unique_ptr<Peer> peer_;
};

TEST_F(SystemCalls, TwoForARequestBesidesTheWait) {
  start();
  for (int i = 0; i < 10; ++i) {
    peer_->send("GET / HTTP/1.1\r\n");
    const auto calls = until_wait();
    EXPECT_EQ(total(calls), 2) << text(calls);
    peer_->receive();
    EXPECT_EQ(peer_->take(), "HTTP/1.1 200 OK\r\n\r\n");
  }
}

TEST_F(SystemCalls, TwoForManyPipelinedRequests) {
  start();
  std::string many;
  for (int i = 0; i < 100; ++i) many += "GET / HTTP/1.1\r\n";
  peer_->send(many);
  const auto calls = until_wait();
  EXPECT_EQ(total(calls), 2) << text(calls);
}

TEST_F(SystemCalls, TwoForARequestThroughALayer) {
  start(true);
  peer_->send("?");
  until_wait();
  peer_->send(".");
  until_wait();
  peer_->receive();
  for (int i = 0; i < 10; ++i) {
    peer_->send(XorLayer::record("GET / HTTP/1.1\r\n"));
    const auto calls = until_wait();
    EXPECT_EQ(total(calls), 2) << text(calls);
  }
}

}  // namespace
}  // namespace io
