// Rows P01–P17 of the attack catalogue: what a client sees when an origin fails.

#include "proxy/proxy_fixture.h"

namespace proxy {
namespace {

using namespace std::string_literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string status_of(const std::string& response) { return response.substr(0, 12); }

std::string post(const std::string& body, const std::string& method = "POST") {
  return method + " / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

// --- P01: refused, unreachable, late, all down ---

TEST_F(ProxyTest, P01_RefusedGoesToTheNextEndpointForAnyMethod) {
  add_origin();
  start({endpoint(io::refusing_address()), endpoint(origins[0]->address())});
  for (std::size_t i = 0; i < 4; ++i) {
    Client& client = request(post("body"));
    io::Peer& origin = accepted(0);
    EXPECT_NE(receive(origin, "body").find("POST / "), std::string::npos);
    origin.send(ok());
    receive(*client, "ok");
  }
  ASSERT_TRUE(finished(4));
  int attempts = 0;
  for (const Report& report : reports) {
    EXPECT_EQ(report.status, 200);
    attempts += report.attempts;
  }
  EXPECT_GT(attempts, 4) << "some began with the one that refuses";
}

TEST_F(ProxyTest, P01_RefusedByAllIs502AndSaysNothingOfThem) {
  const base::Address one = io::refusing_address();
  start({endpoint(one)});
  Client& client = request(get());
  const std::string response = receive(*client, "502 Bad Gateway\n");
  EXPECT_EQ(status_of(response), "HTTP/1.1 502");
  EXPECT_EQ(response.find(one.to_string()), std::string::npos);
  ASSERT_TRUE(finished());
  EXPECT_NE(reports[0].error_detail.find(one.to_string()), std::string::npos);
}

TEST_F(ProxyTest, P01_NoResponseInTimeIs504) {
  group_options.first_byte_timeout = milliseconds(30);
  start();
  Client& client = request(get());
  receive(accepted());
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 504");
  EXPECT_TRUE(ended(accepted()));
}

TEST_F(ProxyTest, P01_ATryThatTakesTooLongGoesToTheNextEndpoint) {
  group_options.retries.timeout = milliseconds(30);
  start({endpoint(add_origin().address()), endpoint(add_origin().address())});
  Client& client = request(get());
  ASSERT_TRUE(until([&] { return !origins[0]->peers.empty() && !origins[1]->peers.empty(); }));
  const bool first = receive(accepted(0, 0)).empty();
  EXPECT_FALSE(first);
  receive(accepted(0, 1));
  // Whichever was second is still being waited for.
  accepted(0, 0).send_some(ok());
  accepted(0, 1).send_some(ok());
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 200");
}

TEST_F(ProxyTest, P01_ATryThatTakesTooLongIs504WhereItMayHaveHappened) {
  group_options.retries.timeout = milliseconds(30);
  start({endpoint(add_origin().address()), endpoint(add_origin().address())});
  Client& client = request(post("x"));
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 504");
  EXPECT_EQ(origins[0]->peers.size() + origins[1]->peers.size(), 1U);
}

TEST_F(ProxyTest, P01_AllDownIs503WithoutAConnection) {
  group_options.failures.count = 1;
  start({endpoint(io::refusing_address()), endpoint(io::refusing_address())});
  EXPECT_EQ(status_of(receive(*request(get()))), "HTTP/1.1 502");
  EXPECT_EQ(status_of(receive(*request(get()))), "HTTP/1.1 503");
  ASSERT_TRUE(finished(2));
  EXPECT_EQ(reports[1].attempts, 0);
  EXPECT_EQ(reports[1].error_detail, "no endpoint is available");
}

TEST_F(ProxyTest, P01_ASingleEndpointIsNeverLost) {
  group_options.failures.count = 1;
  auto origin = std::make_unique<io::ListeningPeer>();
  const base::Address address = origin->address();
  start({endpoint(address)});
  origin.reset();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(status_of(receive(*request(get()))), "HTTP/1.1 502");
  origins.push_back(std::make_unique<io::ListeningPeer>(address));
  EXPECT_EQ(status_of(roundtrip(get(), ok())), "HTTP/1.1 200");
}

TEST_F(ProxyTest, P01_NoMoreTriesThanConfigured) {
  group_options.retries.attempts = 1;
  start({endpoint(io::refusing_address()), endpoint(io::refusing_address()),
         endpoint(io::refusing_address())});
  receive(*request(get()));
  ASSERT_TRUE(finished());
  EXPECT_EQ(reports[0].attempts, 2);
}

// --- P02: a kept connection that dies under our hands ---

class KeptConnection : public ProxyTest {
 protected:
  // A kept connection exists; the next request on it reaches the origin, which then closes without
  // a word.
  void use_and_cut(const std::string& head) {
    start();
    roundtrip(get("/first"), ok(), 0, "ok");
    ASSERT_EQ(pools.idle(), 1U);
    client = &request(head);
    seen = receive(accepted(0));
    accepted(0).close();
  }
  Client* client = nullptr;
};

TEST_F(KeptConnection, P02_IdempotentIsRepeatedOnceOnAFreshConnection) {
  use_and_cut(get("/again"));
  const std::string repeated = receive(accepted(1));
  EXPECT_EQ(repeated, seen);
  accepted(1).send(ok());
  EXPECT_EQ(status_of(receive(**client, "ok")), "HTTP/1.1 200");
  ASSERT_TRUE(finished(2));
  EXPECT_EQ(reports[1].attempts, 1) << "it says nothing of the endpoint";
}

TEST_F(KeptConnection, P02_AFreshOneThatDiesTooIsAFailure) {
  use_and_cut(get("/again"));
  receive(accepted(1));
  accepted(1).close();
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 2U);
}

TEST_F(KeptConnection, P02_PostIsNotRepeated) {
  use_and_cut("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 1U);
}

TEST_F(KeptConnection, P02_PatchIsNotRepeated) {
  use_and_cut("PATCH / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy");
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 1U);
}

TEST_F(KeptConnection, P02_UnknownMethodsAreNotRepeated) {
  use_and_cut("LOCK / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 1U);
}

TEST_F(KeptConnection, P02_PutIsRepeatedOnlyWithItsBodyInMemory) {
  use_and_cut("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy");
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 1U);
}

// P11: what is kept for another try is bounded by the buffer that was asked for.
TEST_F(KeptConnection, P02_P11_PutIsRepeatedFromTheBuffer) {
  options.buffer_request = 16;
  use_and_cut("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nxy");
  EXPECT_TRUE(receive(accepted(1), "xy").ends_with("\r\n\r\nxy"));
  accepted(1).send(ok());
  EXPECT_EQ(status_of(receive(**client, "ok")), "HTTP/1.1 200");
}

TEST_F(KeptConnection, P02_P11_WhatExceedsTheBufferIsNotRepeated) {
  options.buffer_request = 1;
  use_and_cut("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwxyz");
  EXPECT_EQ(status_of(receive(**client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size(), 1U);
}

// The origin closed before we sent anything: nothing can have happened, so even POST goes on.
TEST_F(ProxyTest, P02_NothingSentIsRepeatedForAnyMethod) {
  start();
  roundtrip(get("/first"), ok(), 0, "ok");
  accepted(0).close();
  Client& client = request(post("body"));
  EXPECT_NE(receive(accepted(1), "body").find("POST / "), std::string::npos);
  accepted(1).send(ok());
  EXPECT_EQ(status_of(receive(*client, "ok")), "HTTP/1.1 200");
}

TEST_F(ProxyTest, P02_AFreshConnectionThatDiesLeadsToTheNextEndpoint) {
  start({endpoint(add_origin().address()), endpoint(add_origin().address())});
  Client& client = request(get());
  ASSERT_TRUE(until([&] { return origins[0]->peers.size() + origins[1]->peers.size() == 1; }));
  const std::size_t dying = origins[0]->peers.empty() ? 1 : 0;
  receive(accepted(0, dying));
  accepted(0, dying).close();
  receive(accepted(0, 1 - dying));
  accepted(0, 1 - dying).send(ok());
  EXPECT_EQ(status_of(receive(*client, "ok")), "HTTP/1.1 200");
  ASSERT_TRUE(finished());
  EXPECT_EQ(reports[0].attempts, 2);
}

// --- P03, P04, P05: cut short ---

TEST_F(ProxyTest, P03_ClosedInsideTheHeadIs502AndNotRepeated) {
  start({endpoint(add_origin().address()), endpoint(add_origin().address())});
  Client& client = request(get());
  ASSERT_TRUE(until([&] { return origins[0]->peers.size() + origins[1]->peers.size() == 1; }));
  const std::size_t used = origins[0]->peers.empty() ? 1 : 0;
  receive(accepted(0, used));
  accepted(0, used).send("HTTP/1.1 200 OK\r\nContent-Le");
  idle();
  accepted(0, used).close();
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 502");
  EXPECT_EQ(origins[0]->peers.size() + origins[1]->peers.size(), 1U);
}

TEST_F(ProxyTest, P04_ShortBodyOfKnownLengthIsNotCompleted) {
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  receive(*client, "half");
  accepted().close();
  EXPECT_EQ(receive_all(*client), "");
  ASSERT_TRUE(finished());
  EXPECT_TRUE(reports[0].aborted);
  EXPECT_FALSE(reports[0].error_detail.empty());
}

TEST_F(ProxyTest, P04_ShortChunkedBodyGetsNoLastChunk) {
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  receive(*client, "half\r\n");
  accepted().close();
  EXPECT_EQ(receive_all(*client), "");
  ASSERT_TRUE(finished());
  EXPECT_TRUE(reports[0].aborted);
}

TEST_F(ProxyTest, P04_BadChunkCutsTheResponse) {
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n");
  const std::string all = receive_all(*client);
  EXPECT_TRUE(all.ends_with("4\r\nhalf\r\n")) << all;
}

// An HTTP/1.0 client knows the end by the connection's: only a reset says that it isn't whole.
TEST_F(ProxyTest, P04_ShortBodyToHttp10IsAReset) {
  start();
  Client& client = request("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  receive(*client, "half");
  accepted().close();
  receive_all(*client);
  EXPECT_NE(client->failed(), 0);
}

TEST_F(ProxyTest, P05_ABodyThatStopsIsCutNotEnded) {
  group_options.idle_timeout = milliseconds(30);
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  const std::string all = receive_all(*client);
  EXPECT_TRUE(all.ends_with("4\r\nhalf\r\n")) << all;
  EXPECT_TRUE(ended(accepted()));
}

// --- P06: bytes that nobody asked for ---

TEST_F(ProxyTest, P06_BytesBehindAResponseAreNobodysAnswer) {
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send(ok("mine") + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  EXPECT_TRUE(receive(*client, "mine").ends_with("mine"));
  EXPECT_TRUE(ended(accepted()));
  EXPECT_EQ(pools.idle(), 0U);
  const std::string next = roundtrip(get("/2"), ok("clean"), 1, "clean");
  EXPECT_EQ(next.find("poison"), std::string::npos);
}

TEST_F(ProxyTest, P06_BytesOnAKeptConnectionCloseIt) {
  start();
  roundtrip(get(), ok(), 0, "ok");
  EXPECT_EQ(pools.idle(), 1U);
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  ASSERT_TRUE(until([&] { return pools.idle() == 0; }));
  const std::string next = roundtrip(get("/2"), ok("clean"), 1, "clean");
  EXPECT_EQ(next.find("poison"), std::string::npos);
}

// Sent between our taking the connection and our sending the request.
TEST_F(ProxyTest, P06_BytesBeforeTheRequestAreNotItsAnswer) {
  start();
  roundtrip(get(), ok(), 0, "ok");
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
  Client& client = request(get("/2"));
  const std::string came = receive(accepted(1));
  EXPECT_TRUE(came.starts_with("GET /2 ")) << came;
  accepted(1).send(ok("clean"));
  EXPECT_EQ(receive(*client, "clean").find("poison"), std::string::npos);
}

// --- P07: responses that aren't ---

TEST_F(ProxyTest, P07_InvalidResponsesAre502) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
      "HTTP/1.1 200 OK\nA: b\n\n",
      "HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n"s,
      "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      "HTTP/1.1 2x0 OK\r\n\r\n",
      "HTTP/1.1 99 OK\r\n\r\n",
      "HTTP/1.1 600 OK\r\n\r\n",
      "HTTP/2.0 200 OK\r\n\r\n",
      "ICY 200 OK\r\n\r\n",
      "<html>HTTP/0.9</html>\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: " + std::string(80 * 1024, 'x') + "\r\n\r\n",
  };
  group_options.failures.count = 0;
  start();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Client& client = request(get());
    io::Peer& origin = accepted(i);
    receive(origin);
    origin.send(answers[i]);
    EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 502") << answers[i].substr(0, 60);
    EXPECT_TRUE(ended(origin));
  }
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P07_WithBothLengthsChunkedHoldsAndTheConnectionCloses) {
  start();
  const std::string response =
      roundtrip(get(),
                "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"
                "4\r\nbody\r\n0\r\n\r\n",
                0, "0\r\n\r\n");
  EXPECT_EQ(status_of(response), "HTTP/1.1 200");
  EXPECT_EQ(response.find("Content-Length"), std::string::npos) << response;
  EXPECT_NE(response.find("4\r\nbody\r\n0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(ended(accepted()));
}

// --- P08: interim responses ---

TEST_F(ProxyTest, P08_EarlyHintsGoToHttp11OnlyWhenAskedFor) {
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n";
  start();
  EXPECT_EQ(status_of(roundtrip(get(), hints + ok(), 0, "ok")), "HTTP/1.1 200");
  options.early_hints = true;
  const std::string response = roundtrip(get(), hints + ok(), 0, "ok");
  EXPECT_EQ(status_of(response), "HTTP/1.1 103");
  EXPECT_NE(response.find("Link: </a.css>; rel=preload\r\n\r\nHTTP/1.1 200 OK"), std::string::npos)
      << response;
  const std::string old = roundtrip("GET / HTTP/1.0\r\nHost: a\r\n\r\n", hints + ok(), 0, "ok");
  EXPECT_EQ(status_of(old), "HTTP/1.1 200");
}

TEST_F(ProxyTest, P08_InterimResponsesAreBounded) {
  start();
  std::string flood;
  for (int i = 0; i < 40; ++i) flood += "HTTP/1.1 102 Processing\r\n\r\n";
  EXPECT_EQ(status_of(roundtrip(get(), flood + ok())), "HTTP/1.1 502");
}

TEST_F(ProxyTest, P08_A100ThatNobodyAskedForGoesNoFurther) {
  start();
  EXPECT_EQ(status_of(roundtrip(get(), "HTTP/1.1 100 Continue\r\n\r\n" + ok(), 0, "ok")),
            "HTTP/1.1 200");
}

TEST_F(ProxyTest, P08_A101ThatNobodyAskedForIs502) {
  start();
  EXPECT_EQ(status_of(roundtrip(get(),
                                "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
                                "Upgrade: websocket\r\n\r\n")),
            "HTTP/1.1 502");
}

// --- P09: responses without a body ---

TEST_F(ProxyTest, P09_HeadHasNoBodyWhateverItsFieldsSay) {
  start();
  const std::string head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string known = roundtrip(head, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
  EXPECT_NE(known.find("Content-Length: 100\r\n"), std::string::npos) << known;
  EXPECT_TRUE(known.ends_with("\r\n\r\n"));
  EXPECT_EQ(pools.idle(), 1U);
  const std::string chunked =
      roundtrip(head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(chunked.ends_with("\r\n\r\n"));
  EXPECT_EQ(chunked.find("Content-Length: 0"), std::string::npos);
  EXPECT_EQ(pools.idle(), 1U);
}

TEST_F(ProxyTest, P09_BytesBehindAHeadCloseTheConnection) {
  start();
  roundtrip("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody");
  EXPECT_TRUE(ended(accepted()));
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P09_NoContentAndNotModifiedHaveNone) {
  start();
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    const std::string response =
        roundtrip(get(), std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 5\r\n\r\n");
    EXPECT_EQ(response.substr(9, 3), std::string(status, 3));
    EXPECT_TRUE(response.ends_with("\r\n\r\n"));
    EXPECT_EQ(pools.idle(), 1U);
  }
}

// --- P10: an early answer ---

TEST_F(ProxyTest, P10_AnEarlyRefusalIsRelayedAndTheUploadStops) {
  start();
  Client& client = request("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegin");
  receive(accepted(), "begin");
  accepted().send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno\n");
  const std::string response = receive(*client, "no\n");
  EXPECT_EQ(status_of(response), "HTTP/1.1 413");
  client->send_some(std::string(1000, 'x'));
  EXPECT_EQ(receive_all(accepted()).find('x'), std::string::npos);
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P10_AnEarlySuccessEndsTheUploadWithItself) {
  start();
  Client& client =
      request("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  receive(accepted(), "1\r\na\r\n");
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhe");
  receive(*client, "he");
  client->send("1\r\nb\r\n");  // both ways at once
  receive(accepted(), "1\r\nb\r\n");
  accepted().send("re");
  receive(*client, "re");
  EXPECT_TRUE(ended(accepted()));
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P10_AnEarlyAnswerReadAheadEndsTheUploadToo) {
  options.buffer_response = 1 << 20;
  start();
  Client& client =
      request("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  receive(accepted(), "1\r\na\r\n");
  accepted().send(ok("early"));
  receive(*client, "early");
  client->send_some("1\r\nb\r\n");
  EXPECT_TRUE(ended(accepted()));
  EXPECT_EQ(pools.idle(), 0U);
}

// S05: Expect is not passed on; 100 is sent once the body is wanted.
TEST_F(ProxyTest, S05_ExpectIsAnsweredHere) {
  start();
  Client& client =
      request("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 100");
  EXPECT_EQ(receive(accepted()).find("Expect"), std::string::npos);
  client->send("body");
  receive(accepted(), "body");
  accepted().send(ok());
  EXPECT_EQ(status_of(receive(*client, "ok")), "HTTP/1.1 200");
}

// A request whose framing breaks in its body is answered, and what went on is cut.
TEST_F(ProxyTest, R0_ABrokenBodyIs400AndTheOriginsConnectionIsNeverUsedAgain) {
  start();
  Client& client =
      request("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  receive(accepted(), "1\r\na\r\n");
  client->send("zz\r\n");
  EXPECT_EQ(status_of(receive(*client)), "HTTP/1.1 400");
  const std::string rest = receive_all(accepted());
  EXPECT_EQ(rest.find("0\r\n\r\n"), std::string::npos);
  EXPECT_EQ(pools.idle(), 0U);
}

// --- P14: names ---

TEST_F(ProxyTest, P14_ANameThatDoesNotResolveIs502UntilItDoes) {
  add_origin();
  upstream::EndpointOptions named = endpoint(origins[0]->address());
  named.id = "http://app.test";
  named.host = "app.test";
  named.address = {};
  group_options.resolve.ttl_min = milliseconds(1);
  start({named});
  EXPECT_EQ(status_of(receive(*request(get()))), "HTTP/1.1 502");
  ASSERT_TRUE(finished());
  EXPECT_NE(reports[0].error_detail.find("app.test"), std::string::npos);
  dns.records["app.test"] = {{"127.0.0.1"}, 60};
  const io::Time later = io::Clock::now() + milliseconds(5);
  ASSERT_TRUE(until([&] { return io::Clock::now() > later; }));
  EXPECT_EQ(status_of(roundtrip(get(), ok())), "HTTP/1.1 200");
}

// --- P15, P16: clients that leave or dawdle ---

TEST_F(ProxyTest, P15_AClientThatLeavesTakesItsRequestWithIt) {
  start();
  Client& client = request(get());
  receive(accepted());
  client->close();
  EXPECT_TRUE(ended(accepted()));
  ASSERT_TRUE(finished());
  EXPECT_EQ(reports[0].upstream_status, 0);
}

TEST_F(ProxyTest, P15_AClientThatLeavesWhileConnectingLeavesNothing) {
  start();
  Client& client = request(get());
  client->reset();
  ASSERT_TRUE(finished());
  idle();
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P15_AClientThatLeavesInsideAResponseClosesTheOrigins) {
  start();
  Client& client = request(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome");
  receive(*client, "some");
  client->reset();
  EXPECT_TRUE(ended(accepted()));
  EXPECT_EQ(pools.idle(), 0U);
}

TEST_F(ProxyTest, P16_ASlowClientHoldsTheOriginBack) {
  start();
  Client& client = connect(4096);
  client->send(get());
  receive(accepted());
  accepted().send("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
  const std::string block(1 << 20, 'x');
  std::size_t taken = 0;
  std::size_t before_last = 1;
  // Until a hundred turns have brought nothing more.
  while (taken != before_last) {
    before_last = taken;
    for (int i = 0; i < 100; ++i) {
      taken += accepted().send_some(block);
      loop.turn({});
    }
  }
  // Kernel buffers of loopback take some megabytes; ours are two queues of 128 KiB.
  EXPECT_LT(taken, 24U << 20);
  // And it goes on when the client does.
  std::size_t got = 0;
  ASSERT_TRUE(until([&] {
    taken += accepted().send_some(block);
    client->receive();
    got += client->take().size();
    return got > 32U << 20;
  }));
}

TEST_F(ProxyTest, P16_ASlowOriginHoldsTheClientBack) {
  start();
  Client& client = connect();
  client->send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1073741824\r\n\r\n");
  receive(accepted());
  const std::string block(1 << 20, 'x');
  std::size_t taken = 0;
  std::size_t before_last = 1;
  while (taken != before_last) {
    before_last = taken;
    for (int i = 0; i < 100; ++i) {
      taken += client->send_some(block);
      loop.turn({});
    }
  }
  EXPECT_LT(taken, 24U << 20);
}

}  // namespace
}  // namespace proxy
