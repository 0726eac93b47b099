// What the loop and a stream cost above a bare epoll loop: answers every request that ends in an
// empty line with a fixed response, and parses nothing. Measure it and the bare loop with the same
// load, e.g. `io_echo 18081 & wrk -t1 -c64 http://127.0.0.1:18081/`, by the CPU time of each.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "io/acceptor.h"
#include "io/loop.h"
#include "io/stream.h"

namespace {

constexpr std::string_view kAnswer =
    "HTTP/1.1 200 OK\r\nServer: echo\r\nDate: Mon, 30 Nov 2026 11:42:02 GMT\r\n"
    "Content-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";

class Connection final : public io::StreamUser, public io::Disposable {
 public:
  explicit Connection(io::Stream::Pointer stream) : stream_(std::move(stream)) {
    stream_->set_user(this);
  }
  size_t on_bytes(std::string_view bytes) override {
    size_t at = 0;
    for (size_t end; (end = bytes.find("\r\n\r\n", at)) != std::string_view::npos; at = end + 4) {
      stream_->write(kAnswer);
    }
    return at;
  }
  void on_end() override { close(); }
  void on_writable() override {}
  void on_failed(const io::Error&) override { close(); }

 private:
  void close() {
    stream_->close();  // nothing more is told, so this comes once
    stream_->loop().dispose(std::unique_ptr<io::Disposable>(this));
  }

  io::Stream::Pointer stream_;
};

struct Server final : io::AcceptorUser {
  io::Loop loop;
  void on_accepted(int descriptor, const base::Address& peer) override {
    new Connection(io::Stream::adopt(loop, descriptor, peer));  // owns itself
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int port = count > 1 ? std::atoi(arguments[1]) : 18081;
  const auto listening =
      io::listen(base::Address::ipv4(0x7f000001, static_cast<uint16_t>(port)), {});
  if (!listening) {
    std::fprintf(stderr, "%s\n", listening.error().text().c_str());
    return 1;
  }
  Server server;
  io::Acceptor acceptor(server.loop, *listening, false, server);
  server.loop.run();
}
