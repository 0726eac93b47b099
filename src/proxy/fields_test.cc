// What of a request's and a response's fields passes: rows S29 to S32, N07.

#include <gtest/gtest.h>

#include "http/fake_carrier.h"
#include "proxy/hop_by_hop.h"
#include "proxy/request_fields.h"
#include "proxy/response_fields.h"

namespace proxy {
namespace {

using List = http::FakeExchange::List;

class RequestFieldsTest : public testing::Test {
 protected:
  void set(const List& fields, const std::string& method = "GET") {
    fake.begin(method, "/", fields);
    fake.exchange.request().authority = "example.com";
    verdict = RequestVerdict::good;
  }
  std::string make() {
    verdict = make_request_fields(fake.exchange, "example.com", rules, out, scratch);
    std::string text;
    for (const http::Field& field : out.all()) {
      text += std::string(field.name) + ": " + std::string(field.value) + "\n";
    }
    return text;
  }
  bool passes(const std::string& name, const std::string& value = "x", const List& more = {}) {
    List fields = more;
    fields.emplace_back(name, value);
    set(fields);
    make();
    const http::Field* field = out.find(name);
    return field != nullptr && field->value == value;
  }
  std::string value(std::string_view name) {
    const http::Field* field = out.find(name);
    return field == nullptr ? "(none)" : std::string(field->value);
  }

  http::FakeExchange fake{"GET", "/"};
  Pseudonym pseudonym{0xabcdef01};
  RequestRules rules{.x_forwarded = true, .forwarded = false, .pseudonym = &pseudonym};
  http::Fields out;
  std::string scratch;
  RequestVerdict verdict = RequestVerdict::good;
};

TEST_F(RequestFieldsTest, S29_HopByHopFieldsEndHere) {
  for (const char* name : {"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
                           "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
                           "HTTP2-Settings", "Content-Length", "Expect"}) {
    EXPECT_FALSE(passes(name)) << name;
  }
}

TEST_F(RequestFieldsTest, EverythingElsePasses) {
  for (const char* name : {"Accept", "Accept-Encoding", "Authorization", "Cookie", "X-Anything",
                           "Traceparent", "Tracestate", "Baggage", "X-Request-ID", "Range",
                           "If-None-Match", "Referer", "Sec-WebSocket-Key", "Early-Data"}) {
    EXPECT_TRUE(passes(name)) << name;
  }
}

TEST_F(RequestFieldsTest, S29_NominatedFieldsEndHere) {
  EXPECT_FALSE(passes("X-Hop", "x", {{"Connection", "keep-alive, x-hop"}}));
  EXPECT_FALSE(passes("X-Hop", "x", {{"Connection", "close"}, {"Connection", " ,X-HOP ,"}}));
}

// Traefik CVE-2021-32813, CVE-2024-45410.
TEST_F(RequestFieldsTest, S29_WhatIsMeantForAllCannotBeNominated) {
  for (const char* name : {"Authorization", "Cookie", "X-Request-ID", "Content-Type", "Range"}) {
    EXPECT_TRUE(passes(name, "x", {{"Connection", name}})) << name;
  }
  set({{"Connection", "Host, X-Forwarded-For, X-Real-IP, Via, X-Forwarded-Proto, Content-Length"}});
  make();
  EXPECT_EQ(value("Host"), "example.com");
  EXPECT_EQ(value("X-Forwarded-For"), "127.0.0.1");
  EXPECT_EQ(value("X-Real-IP"), "127.0.0.1");
  EXPECT_EQ(value("X-Forwarded-Proto"), "http");
  EXPECT_EQ(value("Via"), "1.1 webship-abcdef01");
}

TEST_F(RequestFieldsTest, S29_WhatAFilterSetCannotBeNominated) {
  set({{"Connection", "X-User, X-Forwarded-Prefix"}});
  fake.exchange.request().fields.set("X-User", "alice");
  fake.exchange.request().fields.set("X-Forwarded-Prefix", "/app");
  make();
  EXPECT_EQ(value("X-User"), "alice");
  EXPECT_EQ(value("X-Forwarded-Prefix"), "/app");
}

TEST_F(RequestFieldsTest, S29_TooManyNominationsAreRefused) {
  std::string names;
  for (std::size_t i = 0; i <= Nominations::kMax; ++i) names += "x" + std::to_string(i) + ", ";
  set({{"Connection", names}});
  make();
  EXPECT_EQ(verdict, RequestVerdict::nominations);
}

TEST_F(RequestFieldsTest, S30_UntrustedPeersSayNothingOfOthers) {
  for (const char* name :
       {"X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port",
        "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Forwarded-Tls-Client-Cert", "X-Real-IP",
        "Forwarded", "Client-Cert", "Client-Cert-Chain", "X-SSL-Client-Verify", "X-Client-Cert",
        "SSL-Client-Subject"}) {
    EXPECT_FALSE(passes(name, "203.0.113.9")) << name;
  }
  set({{"X-Forwarded-For", "203.0.113.9"}, {"X-Forwarded-Proto", "https"}});
  make();
  EXPECT_EQ(value("X-Forwarded-For"), "127.0.0.1");
  EXPECT_EQ(value("X-Forwarded-Proto"), "http");
  EXPECT_EQ(out.count(http::FieldName::x_forwarded_for), 1U);
}

TEST_F(RequestFieldsTest, S30_TrustedPeersAreAppendedTo) {
  fake.info.peer_trusted = true;
  set({{"X-Forwarded-For", "203.0.113.9"},
       {"X-Forwarded-For", "198.51.100.2"},
       {"X-Forwarded-Proto", "https"},
       {"X-Forwarded-Host", "outside.test"},
       {"X-Forwarded-Port", "443"},
       {"Forwarded", "for=203.0.113.9"}});
  fake.exchange.set_client(base::Address::ipv4(0xcb007109, 0));
  make();
  EXPECT_EQ(value("X-Forwarded-For"), "203.0.113.9, 198.51.100.2, 127.0.0.1");
  EXPECT_EQ(out.count(http::FieldName::x_forwarded_for), 1U);
  EXPECT_EQ(value("X-Forwarded-Proto"), "https");
  EXPECT_EQ(value("X-Forwarded-Host"), "outside.test");
  EXPECT_EQ(value("X-Forwarded-Port"), "443");
  EXPECT_EQ(value("X-Real-IP"), "203.0.113.9");
  EXPECT_EQ(value("Forwarded"), "for=203.0.113.9");
}

// A trusted proxy that only appends to X-Forwarded-For passes on whatever X-Real-IP its client
// sent.
TEST_F(RequestFieldsTest, S30_TheRealAddressIsOursFromTrustedPeersToo) {
  fake.info.peer_trusted = true;
  for (const base::Address& peer :
       {base::Address::ipv4(0x7f000001, 1), base::Address::unix_path("/proxy.sock")}) {
    fake.info.peer = peer;
    set({{"X-Real-IP", "6.6.6.6"}, {"X-Forwarded-For", "203.0.113.9"}, {"x-real-ip", "7.7.7.7"}});
    fake.exchange.set_client(base::Address::ipv4(0xcb007109, 0));
    make();
    EXPECT_EQ(value("X-Real-IP"), "203.0.113.9");
    EXPECT_EQ(out.count(http::FieldName::x_real_ip), 1U);
  }
  // Where no address is known, what it says is all there is.
  set({{"X-Real-IP", "203.0.113.9"}});
  make();
  EXPECT_EQ(value("X-Real-IP"), "203.0.113.9");
  // Nor is it touched where we say nothing in that form.
  rules.x_forwarded = false;
  fake.info.peer = base::Address::ipv4(0x7f000001, 1);
  set({{"X-Real-IP", "203.0.113.9"}});
  make();
  EXPECT_EQ(value("X-Real-IP"), "203.0.113.9");
}

TEST_F(RequestFieldsTest, S30_ForwardedIsWrittenWhereAskedFor) {
  rules.forwarded = true;
  rules.x_forwarded = false;
  set({{"Forwarded", "for=evil"}, {"X-Forwarded-For", "1.2.3.4"}});
  make();
  EXPECT_EQ(value("Forwarded"), "for=127.0.0.1;host=example.com;proto=http");
  EXPECT_EQ(value("X-Forwarded-For"), "(none)");
  fake.info.peer_trusted = true;
  set({{"Forwarded", "for=203.0.113.9"}, {"X-Forwarded-For", "1.2.3.4"}});
  make();
  EXPECT_EQ(value("Forwarded"), "for=203.0.113.9, for=127.0.0.1;host=example.com;proto=http");
  EXPECT_EQ(value("X-Forwarded-For"), "1.2.3.4");
}

TEST_F(RequestFieldsTest, S30_NothingIsSaidWhereNothingIsAskedFor) {
  rules.x_forwarded = false;
  set({{"X-Forwarded-For", "1.2.3.4"}, {"X-Real-IP", "1.2.3.4"}, {"Forwarded", "for=1.2.3.4"}});
  EXPECT_EQ(make(), "Host: example.com\nVia: 1.1 webship-abcdef01\n");
}

TEST_F(RequestFieldsTest, AFiltersForwardingFieldTakesThePlaceOfOurs) {
  set({{"X-Forwarded-For", "6.6.6.6"}});
  fake.exchange.request().fields.set(http::FieldName::x_forwarded_for, "by configuration");
  make();
  EXPECT_EQ(value("X-Forwarded-For"), "by configuration");
}

// httpoxy, CVE-2016-5385.
TEST_F(RequestFieldsTest, S31_ProxyNeverPasses) { EXPECT_FALSE(passes("Proxy", "http://evil/")); }

TEST_F(RequestFieldsTest, ViaIsAppendedAsALineOfItsOwn) {
  set({{"Via", "1.0 fred, 1.1 p.example.net"}});
  EXPECT_NE(make().find("Via: 1.0 fred, 1.1 p.example.net\n"), std::string::npos);
  EXPECT_EQ(out.count(http::FieldName::via), 2U);
}

TEST_F(RequestFieldsTest, N07_ComingThroughTooOftenIsALoop) {
  std::string via = "1.1 other";
  for (int i = 0; i < kPassesMax; ++i) {
    set({{"Via", via}});
    make();
    EXPECT_EQ(verdict, RequestVerdict::good) << i;
    via += ", 1.1 webship-abcdef01";
  }
  set({{"Via", via}});
  make();
  EXPECT_EQ(verdict, RequestVerdict::loop);
  // Another process of the same name is none, nor is a comment.
  set({{"Via", "1.1 webship-00000000, 1.1 webship-00000000, 1.1 a (webship-abcdef01), 1.1 b"}});
  make();
  EXPECT_EQ(verdict, RequestVerdict::good);
}

TEST_F(RequestFieldsTest, MaxForwardsCountsDownForOptions) {
  set({{"Max-Forwards", "5"}}, "OPTIONS");
  make();
  EXPECT_EQ(value("Max-Forwards"), "4");
  set({{"Max-Forwards", "0"}}, "OPTIONS");
  make();
  EXPECT_EQ(verdict, RequestVerdict::last_hop);
  set({{"Max-Forwards", "0"}}, "GET");
  make();
  EXPECT_EQ(verdict, RequestVerdict::good);
  EXPECT_EQ(value("Max-Forwards"), "0");
}

TEST(RequestTarget, IsTheClientsOwnUnlessAFilterChangedIt) {
  http::FakeExchange fake("GET", "/a%2Fb?x=%0d&y");
  EXPECT_EQ(request_target(fake.exchange), "/a%2Fb?x=%0d&y");
  EXPECT_EQ(request_target(fake.exchange).data(), fake.exchange.request().target.data());
  fake.exchange.request().raw_path = "/b";
  EXPECT_EQ(request_target(fake.exchange), "/b?x=%0d&y");
  fake.exchange.request().query = "z";
  EXPECT_EQ(request_target(fake.exchange), "/b?z");
  fake.exchange.request().has_query = false;
  EXPECT_EQ(request_target(fake.exchange), "/b");
  fake.begin("GET", "/empty?");
  EXPECT_EQ(request_target(fake.exchange), "/empty?");
}

class ResponseFieldsTest : public testing::Test {
 protected:
  std::string make(const List& fields) {
    std::string head;
    for (const auto& [name, value] : fields) head += name + value;
    std::size_t at = 0;
    http::Response from;
    for (const auto& [name, value] : fields) {
      from.fields.add(std::string_view(head).substr(at, name.size()),
                      std::string_view(head).substr(at + name.size(), value.size()));
      at += name.size() + value.size();
    }
    fake.exchange.response().fields.clear();
    good = make_response(from, head, rules, fake.exchange, scratch);
    std::string text;
    for (const http::Field& field : fake.exchange.response().fields.all()) {
      text += std::string(field.name) + ": " + std::string(field.value) + "\n";
    }
    return text;
  }
  std::string location(const std::string& text) {
    return std::string(rewrite_location(text, rules, fake.exchange));
  }

  http::FakeExchange fake{"GET", "/"};
  ResponseRules rules{
      .rewrite_location = true, .host_sent = "example.com", .endpoint_authority = "10.0.0.1:3000"};
  std::string scratch;
  bool good = false;
};

TEST_F(ResponseFieldsTest, S29_HopByHopFieldsEndHere) {
  EXPECT_EQ(make({{"Connection", "close, X-Hop"},
                  {"Keep-Alive", "timeout=5"},
                  {"Proxy-Connection", "close"},
                  {"Proxy-Authenticate", "Basic"},
                  {"Transfer-Encoding", "chunked"},
                  {"Trailer", "X"},
                  {"Upgrade", "h2c"},
                  {"X-Hop", "1"},
                  {"X-End", "2"},
                  {"Date", "today"},
                  {"Set-Cookie", "a=b"},
                  {"set-cookie", "c=d"}}),
            "X-End: 2\nDate: today\nSet-Cookie: a=b\nset-cookie: c=d\n");
}

TEST_F(ResponseFieldsTest, S29_ResponsesCannotNominateWhatIsMeantForAll) {
  EXPECT_EQ(make({{"Connection", "Set-Cookie, Cache-Control"},
                  {"Set-Cookie", "a=b"},
                  {"Cache-Control", "no-store"}}),
            "Set-Cookie: a=b\nCache-Control: no-store\n");
}

TEST_F(ResponseFieldsTest, LocationsAreAsTheOriginSaysWithoutAPrefix) {
  for (const char* text :
       {"/x", "x", "?q", "", "//other/x", "http://example.com/x", "https://example.com/x",
        "http://other.test/", "ftp://example.com/", "mailto:a@example.com"}) {
    EXPECT_EQ(location(text), text);
  }
}

TEST_F(ResponseFieldsTest, LocationsOfTheEndpointBecomeTheClients) {
  fake.exchange.request().scheme = "https";
  EXPECT_EQ(location("http://10.0.0.1:3000/x?y#z"), "https://example.com/x?y#z");
  EXPECT_EQ(location("http://10.0.0.1:3000"), "https://example.com");
  EXPECT_EQ(location("http://10.0.0.1:3001/x"), "http://10.0.0.1:3001/x");
  EXPECT_EQ(location("http://10.0.0.1:3000.evil.test/x"), "http://10.0.0.1:3000.evil.test/x");
  EXPECT_EQ(location("http://10.0.0.1:3000@evil.test/x"), "http://10.0.0.1:3000@evil.test/x");
}

TEST_F(ResponseFieldsTest, StrippedPrefixesComeBack) {
  fake.exchange.stripped_prefix = "/app";
  EXPECT_EQ(location("/login"), "/app/login");
  EXPECT_EQ(location("/"), "/app/");
  EXPECT_EQ(location("/?q"), "/app/?q");
  EXPECT_EQ(location("login"), "login");
  EXPECT_EQ(location("//other/x"), "//other/x");
  EXPECT_EQ(location("http://example.com/x"), "http://example.com/app/x");
  EXPECT_EQ(location("HTTP://EXAMPLE.com:80/x"), "HTTP://EXAMPLE.com:80/app/x");
  EXPECT_EQ(location("https://example.com:443"), "https://example.com:443/app");
  EXPECT_EQ(location("http://example.com?q"), "http://example.com/app/?q");
  EXPECT_EQ(location("http://other.test/x"), "http://other.test/x");
  EXPECT_EQ(location("http://10.0.0.1:3000/x"), "http://example.com/app/x");
  EXPECT_EQ(make({{"Set-Cookie", "a=b; Path=/; HttpOnly"}, {"Set-Cookie", "c=d"}}),
            "Set-Cookie: a=b; Path=/app; HttpOnly\nSet-Cookie: c=d\n");
  rules.rewrite_location = false;
  EXPECT_EQ(make({{"Set-Cookie", "a=b; Path=/"}, {"Location", "/x"}}),
            "Set-Cookie: a=b; Path=/\nLocation: /x\n");
}

TEST_F(ResponseFieldsTest, TextIsCopied) {
  std::string head = "X-Name: value";
  http::Response from;
  from.fields.add(std::string_view(head).substr(0, 6), std::string_view(head).substr(8));
  ASSERT_TRUE(make_response(from, head, rules, fake.exchange, scratch));
  head.assign(head.size(), '-');
  EXPECT_EQ(fake.exchange.response().fields.find("X-Name")->value, "value");
}

TEST_F(ResponseFieldsTest, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(make({{"X", std::string(base::Arena::kSizeMax + 1, 'x')}}), "");
  EXPECT_FALSE(good);
}

}  // namespace
}  // namespace proxy
