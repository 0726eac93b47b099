// For tests of streams and of what stands on them: a loop that is turned until something is so, a
// user that records what it is told, the bare other end of a connection, and a toy layer.
//
// Test code only; nothing waits longer than kPatience.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/loop.h"
#include "io/stream.h"

namespace io {

inline constexpr auto kPatience = std::chrono::seconds(20);

// Turns the loop until `done` says so; false when patience is over.
inline bool turn_until(Loop& loop, const std::function<bool()>& done) {
  const Time deadline = Clock::now() + kPatience;
  while (!done()) {
    if (Clock::now() > deadline) return false;
    loop.turn(std::chrono::milliseconds(20));
  }
  return true;
}

// What is there now, without waiting for more.
inline void turn_some(Loop& loop, int count = 3) {
  for (int i = 0; i < count; ++i) loop.turn(Duration::zero());
}

// The bare end of a connection: non-blocking where the loop must turn meanwhile.
class Peer {
 public:
  explicit Peer(int descriptor) : descriptor_(descriptor) {}
  ~Peer() { close(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send(std::string_view bytes) {
    ASSERT_EQ(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // As much as the socket takes now.
  size_t send_some(std::string_view bytes) {
    const ssize_t count =
        ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN) failed_ = errno;
    return count < 0 ? 0 : static_cast<size_t>(count);
  }
  // What has arrived; sets ended() and failed().
  void receive(size_t size_max = SIZE_MAX) {
    char buffer[65536];
    while (size_max > 0) {
      const ssize_t count =
          ::recv(descriptor_, buffer, std::min(sizeof buffer, size_max), MSG_DONTWAIT);
      if (count == 0) ended_ = true;
      if (count < 0 && errno != EAGAIN) failed_ = errno;
      if (count <= 0) return;
      received_.append(buffer, static_cast<size_t>(count));
      size_max -= static_cast<size_t>(count);
    }
  }
  const std::string& received() const { return received_; }
  std::string take() { return std::exchange(received_, {}); }
  bool ended() const { return ended_; }
  int failed() const { return failed_; }
  void end() { ::shutdown(descriptor_, SHUT_WR); }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  void reset() {
    const struct linger no_wait{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &no_wait, sizeof no_wait);
    close();
  }
  int descriptor() const { return descriptor_; }
  // The socket is the caller's from here on.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
  std::string received_;
  bool ended_ = false;
  int failed_ = 0;
};

// Two ends of a TCP connection over loopback, the first non-blocking.
inline std::pair<int, int> tcp_pair(int send_buffer = 0) {
  const int listening = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(listening, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(listening, 1), 0);
  ::getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size);
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (send_buffer > 0) {
    ::setsockopt(client, SOL_SOCKET, SO_RCVBUF, &send_buffer, sizeof send_buffer);
  }
  EXPECT_EQ(::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const int server = ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (send_buffer > 0) {
    ::setsockopt(server, SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
  }
  ::close(listening);
  return {server, client};
}

// Takes what it is told to take, and writes down every call.
class RecordingUser final : public StreamUser {
 public:
  std::string bytes;                // taken
  std::vector<std::string> events;  // "end", "hangup", "writable", "drained", "failed", …
  Error error;
  int deliveries = 0;
  int progress = 0;
  // Returns how many to take; all of them without it.
  std::function<size_t(std::string_view)> taking;
  std::function<void(const std::string&)> on_event;

  size_t on_bytes(std::string_view view) override {
    ++deliveries;
    last_view = std::string(view);
    const size_t taken = taking ? taking(view) : view.size();
    bytes += last_view.substr(0, taken);
    return taken;
  }
  void on_end() override { record("end"); }
  void on_hangup() override { record("hangup"); }
  void on_writable() override { record("writable"); }
  void on_connected() override { record("connected"); }
  void on_secured() override { record("secured"); }
  void on_progress() override { ++progress; }
  void on_drained() override { record("drained"); }
  void on_failed(const Error& what) override {
    error = what;
    record("failed");
  }
  bool saw(std::string_view event) const {
    for (const std::string& seen : events) {
      if (seen == event) return true;
    }
    return false;
  }
  std::string last_view;

 private:
  void record(const std::string& event) {
    events.push_back(event);
    if (on_event) on_event(event);
  }
};

// A stream in a loop with the bare other end.
class StreamTest : public testing::Test {
 protected:
  void open(int send_buffer = 0) {
    const auto [server, client] = tcp_pair(send_buffer);
    stream = Stream::adopt(loop, server, base::Address::ipv4(0x7f000001, 1));
    stream->set_user(&user);
    peer = std::make_unique<Peer>(client);
  }
  bool until(const std::function<bool()>& done) { return turn_until(loop, done); }
  // Until the other end has so many bytes.
  bool until_received(size_t size) {
    return until([&] {
      peer->receive();
      return peer->received().size() >= size;
    });
  }

  Loop loop;
  RecordingUser user;
  Stream::Pointer stream;
  std::unique_ptr<Peer> peer;
};

// Enciphers by XOR, in records of a length of two bytes. Handshake: the client says `?`, the server
// `!` and the client `.`; an empty record is the end. Anything else is refused with an alert `#`.
class XorLayer final : public StreamLayer {
 public:
  enum class Side : unsigned char { client, server };
  explicit XorLayer(Side side) : side_(side) {}

  static std::string record(std::string_view plain) {
    std::string wire;
    wire += static_cast<char>(plain.size() >> 8);
    wire += static_cast<char>(plain.size() & 0xff);
    for (const char c : plain) wire += static_cast<char>(c ^ 0x55);
    return wire;
  }

  Status start(base::Buffer& wire) override {
    if (side_ == Side::client) wire.append('?');
    return Status::ok;
  }
  Status receive(std::string_view received, base::Buffer& plain, base::Buffer& wire) override {
    held_ += received;
    if (ask && held_.starts_with("?")) return Status::waiting;
    while (!held_.empty() && !established_) {
      const char c = held_.front();
      held_.erase(0, 1);
      if (side_ == Side::server && c == '?' && !greeted_) {
        greeted_ = true;
        wire.append('!');
      } else if (side_ == Side::server && c == '.' && greeted_) {
        established_ = true;
      } else if (side_ == Side::client && c == '!') {
        established_ = true;
        wire.append('.');
      } else {
        wire.append('#');
        return Status::failed;
      }
    }
    while (held_.size() >= 2) {
      const size_t size =
          static_cast<unsigned char>(held_[0]) << 8U | static_cast<unsigned char>(held_[1]);
      if (held_.size() < size + 2) break;
      if (size == 0) return Status::ended;
      for (size_t i = 0; i < size; ++i) plain.append(static_cast<char>(held_[i + 2] ^ 0x55));
      held_.erase(0, size + 2);
    }
    return Status::ok;
  }
  Status send(std::string_view plain, base::Buffer& wire) override {
    sends.push_back(plain.size());
    while (!plain.empty()) {
      wire.append(record(plain.substr(0, 16384)));
      plain.remove_prefix(std::min<size_t>(plain.size(), 16384));
    }
    return Status::ok;
  }
  void finish(base::Buffer& wire) override { wire.append(record({})); }
  bool established() const override { return established_; }
  Error error() const override { return {Error::Kind::security, 0, "not XOR"}; }

  std::vector<size_t> sends;  // how the stream cut what it sent
  bool ask = false;           // the greeting must wait for somebody

 private:
  Side side_;
  bool greeted_ = false;
  bool established_ = false;
  std::string held_;
};

// The plain text of complete records.
inline std::string decipher(std::string_view wire) {
  std::string plain;
  while (wire.size() >= 2) {
    const size_t size =
        static_cast<unsigned char>(wire[0]) << 8U | static_cast<unsigned char>(wire[1]);
    if (wire.size() < size + 2) break;
    for (const char c : wire.substr(2, size)) plain += static_cast<char>(c ^ 0x55);
    wire.remove_prefix(size + 2);
  }
  return plain;
}

}  // namespace io
