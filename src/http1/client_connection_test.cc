#include "http1/client_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace http1 {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A client connection whose origin is the test.
class TestOrigin : public ClientConnection::Informational, public ClientConnection::Keeper {
 public:
  explicit TestOrigin(const ClientLimits& limits = {}) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) abort();
    origin = ends[0];
    connection = ClientConnection::create(loop, io::Stream::adopt(loop, ends[1], {}), limits);
    request_fields.add(http::FieldName::host, "origin");
  }
  virtual ~TestOrigin() {
    if (origin >= 0) ::close(origin);
    task = {};
    if (connection != nullptr) {
      connection->close();
      loop.dispose(std::move(connection));
    }
    turn();
  }

  void turn() {
    for (int i = 0; i < 4; ++i) loop.turn(0ns);
  }
  void answer(std::string_view bytes) {
    ASSERT_EQ(::send(origin, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
    turn();
  }
  void close_origin() {
    received();  // what is unread would make it a reset
    ::close(std::exchange(origin, -1));
    turn();
  }
  std::string received() {
    turn();
    std::string text(1 << 20, '\0');
    ssize_t count = ::recv(origin, text.data(), text.size(), 0);
    text.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return text;
  }

  // Sends a request without a body and starts to read the response.
  void get(std::string_view method = "GET", std::string_view upgrade = {}) {
    connection->send_head(method, "/x", request_fields, {}, upgrade);
    connection->send_end({});
    wait();
  }
  void wait() {
    result.clear();
    task = run();
    task.start([](void*) {}, nullptr);
    turn();
  }
  base::Task<> run() {
    auto head = co_await connection->response_head(this);
    if (!head) {
      constexpr const char* kKinds[] = {"closed", "malformed", "timeout", "too large", "failed"};
      result = std::string("error ") + kKinds[static_cast<int>(head.error().kind)] +
               (head.error().nothing_received ? " nothing" : " something");
      co_return;
    }
    response = *head;
    result = std::to_string(response->status);
    if (response->status == 101) connection->become_tunnel();
    http::BodyPart part;
    result += " ";
    while ((part = co_await connection->body().read())) {
      result += part.bytes;
      if (echo) connection->send_body(part.bytes);
    }
    constexpr const char* kErrors[] = {"", "closed", "malformed", "timeout", "too large", "reset"};
    result += part.end ? "." : std::string("!") + kErrors[static_cast<int>(part.error)];
    for (const http::Field& field : connection->body().trailers().all()) {
      result.append("[").append(field.name).append("=").append(field.value).append("]");
    }
    reusable = connection->reusable();
    if (keep_at_end && reusable) connection->keep(this);
  }
  void on_informational(int status, const http::Fields& fields) override {
    informational += std::to_string(status);
    for (const http::Field& field : fields.all()) informational.append(" ").append(field.value);
    informational += ";";
  }
  void on_unusable(ClientConnection& which) override {
    EXPECT_EQ(&which, connection.get());
    ++unusable;
    connection->close();
    loop.dispose(std::move(connection));
  }

  io::Loop loop;
  int origin = -1;
  std::unique_ptr<ClientConnection> connection;
  http::Fields request_fields;
  http::Response* response = nullptr;
  base::Task<> task;
  std::string result;
  std::string informational;
  bool reusable = false;
  bool keep_at_end = false;
  bool echo = false;
  int unusable = 0;
};

TEST(ClientConnection, R1RequestsAreSerialised) {
  TestOrigin f;
  f.request_fields.add("X-A", "b");
  f.request_fields.add(http::FieldName::connection, "close");
  f.request_fields.add(http::FieldName::transfer_encoding, "chunked");
  f.request_fields.add(http::FieldName::expect, "100-continue");
  f.request_fields.add("X-Evil", "a\r\nX: b");
  f.connection->send_head("POST", "/a?b", f.request_fields, http::BodyLength::of(5), {});
  f.connection->send_body("hello, more than was said");
  f.connection->send_end({});
  EXPECT_EQ(f.received(),
            "POST /a?b HTTP/1.1\r\nHost: origin\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_GT(f.connection->sent(), 0u);
}

TEST(ClientConnection, ChunkedRequests) {
  TestOrigin f;
  f.connection->send_head("PUT", "/", f.request_fields, {http::BodyKind::unknown, 0}, {});
  f.connection->send_body("hello");
  f.connection->send_body(std::string(17, 'x'));
  http::Fields trailers;
  trailers.add("X-T", "1");
  trailers.add("Host", "evil");
  f.connection->send_end(trailers);
  EXPECT_EQ(
      f.received(),
      "PUT / HTTP/1.1\r\nHost: origin\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n11\r\n" +
          std::string(17, 'x') + "\r\n0\r\nX-T: 1\r\n\r\n");
}

TEST(ClientConnection, ATargetThatCantBeSent) {
  for (auto target : {"/a b", "/a\r\nX: y", "", "/\x80"}) {
    TestOrigin f;
    f.connection->send_head("GET", target, f.request_fields, {}, {});
    f.connection->send_end({});
    f.wait();
    EXPECT_EQ(f.result, "error malformed nothing");
  }
}

TEST(ClientConnection, ResponsesCutAtEveryByte) {
  struct Case {
    const char* bytes;
    const char* result;
    bool reusable;
  };
  for (auto [bytes, result, reusable] :
       {Case{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 hello.", true},
        Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
             "chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\nX: y\r\n\r\n",
             "200 hello.[X=y]", true},
        Case{"HTTP/1.1 204 No\r\n\r\n", "204 .", true},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200 .", true},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi", "200 hi.",
             false},
        Case{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
             "200 hi.", true},
        Case{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: "
             "chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
             "200 hi.", false}}) {
    for (size_t i = 1; i <= std::string_view(bytes).size(); ++i) {
      TestOrigin f;
      f.get();
      f.answer(std::string_view(bytes).substr(0, i));
      if (i < std::string_view(bytes).size()) f.answer(std::string_view(bytes).substr(i));
      EXPECT_EQ(f.result, result) << bytes << " cut at " << i;
      EXPECT_EQ(f.reusable, reusable) << bytes;
    }
  }
}

TEST(ClientConnection, KeptAndUsedAgain) {
  TestOrigin f;
  f.keep_at_end = true;
  for (int i = 0; i < 3; ++i) {
    if (i > 0) f.connection->keep(nullptr);
    f.get();
    EXPECT_THAT(f.received(), StartsWith("GET /x HTTP/1.1\r\n"));
    f.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: max=3, timeout=7\r\n\r\nhi");
    EXPECT_EQ(f.result, "200 hi.");
    EXPECT_TRUE(f.reusable);
    EXPECT_EQ(f.connection->keep_alive_hint(), 7s);  // P12
  }
}

TEST(ClientConnection, P02ClosedBeforeAnyByte) {
  TestOrigin f;
  f.get();
  f.close_origin();
  EXPECT_EQ(f.result, "error closed nothing");
}

TEST(ClientConnection, P03ClosedInsideTheHead) {
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nConte");
  f.close_origin();
  EXPECT_EQ(f.result, "error closed something");
}

TEST(ClientConnection, P04ShortBodies) {
  for (auto bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\n"}) {
    TestOrigin f;
    f.get();
    f.answer(bytes);
    f.close_origin();
    EXPECT_EQ(f.result, "200 he!closed") << bytes;
    EXPECT_FALSE(f.reusable);
  }
}

TEST(ClientConnection, UntilClose) {
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\n\r\nhel");
  f.answer("lo");
  f.close_origin();
  EXPECT_EQ(f.result, "200 hello.");
  EXPECT_FALSE(f.reusable);
}

TEST(ClientConnection, AResetIsNotAnEnd) {
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\n\r\nhel");
  ::close(std::exchange(f.origin, -1));  // with the request unread
  f.turn();
  EXPECT_EQ(f.result, "200 hel!closed");
}

TEST(ClientConnection, P05IdleBody) {
  ClientLimits limits;
  limits.idle_timeout = 20ms;
  TestOrigin f(limits);
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
  for (int i = 0; i < 1000 && f.result.back() != 't'; ++i) f.loop.turn(5ms);
  EXPECT_EQ(f.result, "200 he!timeout");
}

TEST(ClientConnection, P01NoResponseInTime) {
  ClientLimits limits;
  limits.first_byte_timeout = 20ms;
  TestOrigin f(limits);
  f.get();
  f.answer("HTTP/1.1 ");
  for (int i = 0; i < 1000 && f.result.empty(); ++i) f.loop.turn(5ms);
  EXPECT_EQ(f.result, "error timeout something");
}

TEST(ClientConnection, TheTimeOfASlowClientIsNotTheOrigins) {
  ClientLimits limits;
  limits.first_byte_timeout = 20ms;
  TestOrigin f(limits);
  f.connection->send_head("POST", "/", f.request_fields, http::BodyLength::of(5), {});
  f.wait();
  auto end = std::chrono::steady_clock::now() + 80ms;
  while (std::chrono::steady_clock::now() < end) f.loop.turn(5ms);
  EXPECT_EQ(f.result, "");
  f.connection->send_body("hello");
  f.connection->send_end({});
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(f.result, "200 .");
}

// P06: what stands behind a response never becomes the answer to somebody else.
TEST(ClientConnection, P06BytesBehindAResponse) {
  for (auto bytes : {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 200 EVIL\r\n\r\n",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\nx",
                     "HTTP/1.1 204 No\r\n\r\nx"}) {
    TestOrigin f;
    f.keep_at_end = true;
    f.get();
    f.answer(bytes);
    EXPECT_THAT(f.result, testing::EndsWith("."));
    EXPECT_FALSE(f.reusable);
    EXPECT_EQ(f.unusable, 0);
  }
}

TEST(ClientConnection, P06BytesOnAKeptConnection) {
  TestOrigin f;
  f.keep_at_end = true;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(f.reusable);
  f.answer("HTTP/1.1 408 Request Timeout\r\n\r\n");
  EXPECT_EQ(f.unusable, 1);
}

TEST(ClientConnection, P06BytesBeforeTheRequestWasSent) {
  TestOrigin f;
  f.keep_at_end = true;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_TRUE(f.reusable);
  // They are in the socket when the next request is made, which leaves at the end of the turn.
  std::string_view evil = "HTTP/1.1 200 EVIL\r\nContent-Length: 0\r\n\r\n";
  ASSERT_EQ(::send(f.origin, evil.data(), evil.size(), 0), static_cast<ssize_t>(evil.size()));
  f.connection->keep(nullptr);
  f.get();
  EXPECT_EQ(f.result, "error closed nothing");
}

TEST(ClientConnection, P12ClosedWhileKept) {
  TestOrigin f;
  f.keep_at_end = true;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  f.close_origin();
  EXPECT_EQ(f.unusable, 1);
}

TEST(ClientConnection, P07Malformed) {
  for (auto bytes : {"HTTP/1.1 200 OK\r\nX : y\r\n\r\n", "hello", "HTTP/1.1 200 OK\nX: y\n\n",
                     "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    TestOrigin f;
    f.get();
    f.answer(bytes);
    EXPECT_EQ(f.result, "error malformed something") << bytes;
  }
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhiX");
  EXPECT_EQ(f.result, "200 hi!malformed");
  ClientLimits limits;
  limits.head_size_max = 100;
  TestOrigin g(limits);
  g.get();
  g.answer("HTTP/1.1 200 OK\r\nX: " + std::string(200, 'x'));
  EXPECT_EQ(g.result, "error too large something");
}

TEST(ClientConnection, P08Informational) {
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  f.answer("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(f.informational, "103 </a>;102;");
  EXPECT_EQ(f.result, "200 .");

  TestOrigin many;
  many.get();
  for (int i = 0; i < 17; ++i) many.answer("HTTP/1.1 103 Early Hints\r\n\r\n");
  EXPECT_EQ(many.result, "error malformed something");
}

TEST(ClientConnection, S24S26P08ASwitchThatNobodyAskedFor) {
  TestOrigin f;
  f.get();
  f.answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n");
  EXPECT_EQ(f.result, "error malformed something");
  for (auto fields : {"", "Upgrade: other\r\n", "Connection: upgrade\r\n"}) {
    TestOrigin g;
    g.get("GET", "websocket");
    g.answer(std::string("HTTP/1.1 101 Switching Protocols\r\n") + fields + "\r\n");
    EXPECT_EQ(g.result, "error malformed something") << fields;
  }
  // 200 to an Upgrade is a response like any other.
  TestOrigin h;
  h.get("GET", "websocket");
  EXPECT_THAT(h.received(), HasSubstr("Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"));
  h.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(h.result, "200 hi.");
  EXPECT_TRUE(h.reusable);
}

TEST(ClientConnection, P17Tunnel) {
  TestOrigin f;
  f.echo = true;
  f.get("GET", "websocket");
  f.received();
  // A frame glued to the 101 is kept.
  f.answer(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\n\r\nframe");
  EXPECT_EQ(f.result, "101 frame");
  EXPECT_EQ(f.received(), "frame");
  f.connection->send_end({});
  f.turn();
  char byte;
  EXPECT_EQ(::recv(f.origin, &byte, 1, 0), 0);
  f.answer("more");
  f.close_origin();
  EXPECT_EQ(f.result, "101 framemore.");
  EXPECT_FALSE(f.connection->reusable());
}

TEST(ClientConnection, P09NoBody) {
  TestOrigin f;
  f.get("HEAD");
  f.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  EXPECT_EQ(f.result, "200 .");
  EXPECT_TRUE(f.reusable);
  TestOrigin g;
  g.get("HEAD");
  g.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(g.result, "200 .");
  EXPECT_FALSE(g.reusable);
}

TEST(ClientConnection, P10AnEarlyResponse) {
  TestOrigin f;
  f.connection->send_head("POST", "/", f.request_fields, http::BodyLength::of(100), {});
  f.connection->send_body("part");
  f.wait();
  f.answer("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(f.result, "403 no.");
  EXPECT_FALSE(f.reusable);
}

TEST(ClientConnection, ARequestCutShortIsNotEnded) {
  TestOrigin f;
  f.connection->send_head("POST", "/", f.request_fields, http::BodyLength::of(100), {});
  f.connection->send_body("part");
  f.wait();
  f.connection->send_end({});
  f.turn();
  EXPECT_EQ(f.result, "error closed nothing");
}

TEST(ClientConnection, CloseWakesWhoWaits) {
  TestOrigin f;
  f.get();
  f.connection->close();
  EXPECT_EQ(f.result, "");  // later in the turn
  f.turn();
  EXPECT_EQ(f.result, "error closed nothing");
  TestOrigin g;
  g.get();
  g.answer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
  g.connection->close();
  g.turn();
  EXPECT_EQ(g.result, "200 he!closed");
}

TEST(ClientConnection, BackPressure) {
  TestOrigin f;
  f.connection->send_head("POST", "/", f.request_fields, {http::BodyKind::unknown, 0}, {});
  std::string piece(64 * 1024, 'x');
  size_t sent = 0;
  while (f.connection->writable() && sent < (64u << 20)) {
    f.connection->send_body(piece);
    sent += piece.size();
    f.turn();
  }
  EXPECT_LT(sent, 2u << 20);
  EXPECT_FALSE(f.connection->writable());
  while (!f.received().empty()) {
  }
  EXPECT_TRUE(f.connection->writable());
}

}  // namespace
}  // namespace http1
