// For tests: a server connection on one end of a socket pair, with a service that answers by path.
//
// The other end is the test's: what it sends is there at once, and the loop is turned until nothing
// moves any more, so nothing here waits for time unless a test asks for it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "http1/server_connection.h"
#include "io/loop.h"

namespace http1 {

class TestServer final : public http::Service, public ServerConnection::Owner {
 public:
  explicit TestServer(const http::Limits& given = {}, const http::TlsInfo* tls = nullptr)
      : limits(given) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) abort();
    client_ = ends[0];
    info.tls = tls;
    auto stream = io::Stream::adopt(loop, ends[1], {});
    stream_ = stream.get();
    connection = ServerConnection::create(context_, info, std::move(stream), *this);
    prepared.head.fields.add(http::FieldName::content_type, "text/plain");
    prepared.head.body = http::BodyLength::of(6);
    prepared.body = base::Slice::unowned("ready\n");
  }
  ~TestServer() {
    if (client_ >= 0) ::close(client_);
    if (connection != nullptr) connection->close();
  }

  // What the client does.
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::send(client_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) {
        turn();
        if (count < 0 && errno != EAGAIN) return;
        continue;
      }
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  void half_close() { ::shutdown(client_, SHUT_WR); }
  void hang_up() { ::close(std::exchange(client_, -1)); }
  // All that has come, until nothing moves. `closed` says whether the server closed its side.
  std::string receive() {
    std::string text;
    for (int quiet = 0; quiet < 4;) {
      turn();
      quiet = take(text) ? 0 : quiet + 1;
    }
    return text;
  }
  // Until it closes its side, or the time is up.
  std::string receive_to_end(std::chrono::milliseconds timeout = std::chrono::seconds(5)) {
    std::string text;
    auto end = std::chrono::steady_clock::now() + timeout;
    while (!closed && std::chrono::steady_clock::now() < end) {
      loop.turn(std::chrono::milliseconds(5));
      take(text);
    }
    return text;
  }
  std::string exchange(std::string_view bytes) {
    send(bytes);
    return receive();
  }
  void turn() { loop.turn(std::chrono::nanoseconds(0)); }
  bool take(std::string& text) {
    char buffer[65536];
    ssize_t count = ::recv(client_, buffer, sizeof buffer, 0);
    if (count > 0) {
      text.append(buffer, static_cast<size_t>(count));
      return true;
    }
    if (count == 0 || errno != EAGAIN) closed = true;
    if (count < 0 && errno == ECONNRESET) reset = true;
    return false;
  }

  // http::Service
  http::Outcome serve(http::Exchange& exchange) override {
    ++served;
    std::string path(exchange.request().raw_path);
    auto found = handlers.find(path);
    if (found != handlers.end()) return found->second(exchange);
    if (path == "/prepared") {
      exchange.respond(prepared);
      return {};
    }
    if (path == "/echo") return echo(exchange);
    if (path == "/wait") return wait(exchange);
    if (path == "/stream") return stream(exchange);
    if (path == "/tunnel") return tunnel(exchange);
    if (path == "/short") return short_body(exchange);
    exchange.respond(base::Slice::unowned("hello"));
    return {};
  }
  void finished(http::Exchange& exchange) override {
    log.push_back(std::string(exchange.request().raw_path) + " " +
                  std::to_string(exchange.response().status) +
                  (exchange.aborted() ? " aborted" : ""));
  }
  void refused(const http::ConnectionInfo&, int status, std::string_view line,
               std::string_view reason) override {
    log.push_back("refused " + std::to_string(status) + " " + std::string(line));
    last_reason = reason;
  }
  // ServerConnection::Owner
  void on_closed(ServerConnection&) override {
    EXPECT_FALSE(over);
    over = true;
    loop.dispose(std::move(connection));
  }

  base::Task<> echo(http::Exchange& exchange) {
    std::string body;
    http::BodyPart part;
    while ((part = co_await exchange.body().read())) body += part.bytes;
    if (!part.end) co_return;  // the connection answers
    for (const http::Field& field : exchange.body().trailers().all()) {
      body.append("[").append(field.name).append("=").append(field.value).append("]");
    }
    exchange.respond(base::Slice::copy_of(body));
  }
  base::Task<> wait(http::Exchange& exchange) {
    struct Guard {
      int& count;
      ~Guard() { ++count; }
    } guard{destroyed};
    co_await gate.wait();
    exchange.respond(base::Slice::unowned("waited"));
  }
  base::Task<> stream(http::Exchange& exchange) {
    exchange.response().body = {http::BodyKind::unknown, 0};
    exchange.start();
    if (!co_await exchange.write("one")) co_return;
    if (!co_await exchange.write("twotwo")) co_return;
    http::Fields trailers;
    trailers.add("X-Sum", "9");
    trailers.add("Content-Length", "9");
    exchange.finish(trailers);
  }
  base::Task<> short_body(http::Exchange& exchange) {
    exchange.response().body = short_length;
    exchange.start();
    co_await exchange.write("part");
    if (short_ends) exchange.finish();
  }
  base::Task<> tunnel(http::Exchange& exchange) {
    if (exchange.request().upgrade.empty()) {
      exchange.respond(426);
      co_return;
    }
    co_await gate.wait();
    exchange.response().status = 101;
    exchange.response().fields.add(http::FieldName::upgrade, exchange.request().upgrade);
    exchange.start_tunnel();
    http::BodyPart part;
    while ((part = co_await exchange.body().read())) {
      if (!co_await exchange.write(part.bytes)) co_return;
    }
    co_await exchange.write("bye");
    exchange.finish();
  }

  io::Loop loop;
  http::Limits limits;
  http::ConnectionInfo info;
  std::unique_ptr<ServerConnection> connection;
  std::map<std::string, std::function<http::Outcome(http::Exchange&)>> handlers;
  http::PreparedResponse prepared;
  base::Signal gate;
  http::BodyLength short_length = http::BodyLength::of(10);
  bool short_ends = true;
  int served = 0;
  int destroyed = 0;
  bool closed = false;  // seen by the client
  bool reset = false;
  bool over = false;
  std::vector<std::string> log;
  std::string last_reason;

 private:
  http::ExchangePool exchanges_{base::Random::Seed{}};
  http::DateCache dates_;
  ServerContext context_{*this, limits, exchanges_, dates_};
  io::Stream* stream_ = nullptr;
  int client_ = -1;
};

// Responses one after the other, for comparing: status lines, and bodies by their lengths.
inline std::vector<std::string> split_responses(std::string_view text, bool head = false) {
  std::vector<std::string> result;
  while (!text.empty()) {
    size_t end = text.find("\r\n\r\n");
    if (end == text.npos) {
      result.emplace_back(text);
      break;
    }
    std::string_view fields = text.substr(0, end + 2);
    text.remove_prefix(end + 4);
    std::string entry(fields.substr(9, 3));
    size_t at = fields.find("Content-Length: ");
    if (at != fields.npos && !head) {
      size_t size = std::stoul(std::string(fields.substr(at + 16, 12)));
      entry += " " + std::string(text.substr(0, size));
      text.remove_prefix(std::min(size, text.size()));
    }
    if (fields.find("Connection: close\r\n") != fields.npos) entry += " close";
    result.push_back(entry);
  }
  return result;
}

}  // namespace http1
