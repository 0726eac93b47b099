#include "http/exchange.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <chrono>
#include <string>

#include "http/exchange_resolver.h"
#include "http/fake_carrier.h"
#include "http/variables.h"

namespace http {
namespace {

struct Note final : ResponseHook {
  Note(std::string& trace, char name) : trace_(trace), name_(name) {}
  void on_response(Exchange& exchange) const override {
    trace_ += name_;
    exchange.response().fields.add("X-Note", trace_);
  }
  std::string& trace_;
  char name_;
};

TEST(Exchange, HooksRunOnceAndInReverse) {
  FakeExchange fake("GET", "/");
  std::string trace;
  Note a(trace, 'a'), b(trace, 'b');
  fake.exchange.add_hook(a);
  fake.exchange.add_hook(b);
  fake.exchange.respond(404);
  EXPECT_EQ(trace, "ba");
  EXPECT_EQ(fake.carrier.status, 404);
  EXPECT_EQ(fake.carrier.body, "404 Not Found\n");
}

struct Double : BodyTransform {
  void transform(std::string_view bytes, std::string& out) override {
    for (char c : bytes) out.append(2, c);
  }
  void finish(std::string& out) override { out += '.'; }
};

struct Doubling final : ResponseHook {
  void on_response(Exchange& exchange) const override {
    exchange.add_transform(std::make_unique<Double>());
  }
};

TEST(Exchange, TransformsPassOnToEachOther) {
  FakeExchange fake("GET", "/");
  Doubling doubling;
  fake.exchange.add_hook(doubling);
  fake.exchange.add_hook(doubling);
  fake.exchange.respond(base::Slice::copy_of("ab"));
  EXPECT_EQ(fake.carrier.body, "aaaabbbb...");
  EXPECT_TRUE(fake.carrier.ended);
  EXPECT_EQ(fake.exchange.body_sent(), 11u);
}

TEST(Exchange, ReadyAnswersGoStraightToTheCarrier) {
  PreparedResponse prepared;
  prepared.head.fields.add(FieldName::content_type, "text/plain");
  prepared.body = base::Slice::copy_of("ready");
  prepared.head.body = BodyLength::of(5);
  FakeExchange plain("GET", "/");
  plain.exchange.respond(prepared);
  EXPECT_EQ(plain.carrier.prepared, 1u);
  FakeExchange hooked("GET", "/");
  std::string trace;
  Note note(trace, 'n');
  hooked.exchange.add_hook(note);
  hooked.exchange.respond(prepared);
  EXPECT_EQ(hooked.carrier.prepared, 0u);
  EXPECT_EQ(hooked.carrier.body, "ready");
  EXPECT_EQ(hooked.carrier.field("X-Note"), "n");
}

TEST(Exchange, KeepMovesEveryViewIntoTheArena) {
  std::string head = "GET /path HTTP/1.1\r\nHost: name\r\n\r\n";
  FakeExchange fake("GET", "/");
  Exchange& exchange = fake.exchange;
  Request& request = exchange.request();
  exchange.set_head(head);
  request.raw_path = request.path = std::string_view(head).substr(4, 5);
  request.fields.clear();
  request.fields.push({std::string_view(head).substr(20, 4), std::string_view(head).substr(26, 4),
                       FieldName::host});
  exchange.captures().push_back({"", std::string_view(head).substr(5, 2)});
  ASSERT_TRUE(exchange.keep());
  head.assign(head.size(), 'x');
  EXPECT_EQ(request.path, "/path");
  EXPECT_EQ(request.raw_path, "/path");
  EXPECT_EQ(request.fields.value(FieldName::host), "name");
  EXPECT_EQ(request.fields.all()[0].name, "Host");
  EXPECT_EQ(exchange.captures()[0].value, "pa");
}

TEST(Exchange, RequestIdsDifferAndStay) {
  FakeExchange a("GET", "/");
  std::string id(a.exchange.request_id());
  EXPECT_EQ(id.size(), 32u);
  EXPECT_EQ(a.exchange.request_id(), id);
}

std::string value(Exchange& exchange, std::string_view text) {
  auto compiled = base::Template::compile(text, variables());
  EXPECT_TRUE(compiled) << text;
  return std::string(evaluate(*compiled, base::Escape::kNone, exchange));
}

TEST(ExchangeResolver, Values) {
  FakeExchange fake("GET", "/a%20b?x=1&y=%26",
                    {{"Host", "example.com"}, {"X-A", "1"}, {"x-a", "2"}, {"Cookie", "k=v"}});
  Exchange& exchange = fake.exchange;
  exchange.captures() = {{"", "all"}, {"name", "one"}};
  EXPECT_EQ(value(exchange, "{request.method} {request.raw_path} {request.query}"),
            "GET /a%20b x=1&y=%26");
  EXPECT_EQ(value(exchange, "{request.path}"), "/a b");
  EXPECT_EQ(value(exchange, "{request.uri}"), "/a%20b?x=1&y=%26");
  EXPECT_EQ(value(exchange, "{request.header.X-A}"), "1, 2");
  EXPECT_EQ(value(exchange, "{request.cookie.k}{request.cookie.none|-}"), "v-");
  EXPECT_EQ(value(exchange, "{request.query.y}"), "&");
  EXPECT_EQ(value(exchange, "{match.1} {match.name} {match.7|none}"), "one one none");
  EXPECT_EQ(value(exchange, "literal"), "literal");
  EXPECT_EQ(value(exchange, "{tls.version|cleartext}"), "cleartext");
}

// In fields and bodies as in the log, and as docs/configuration.md writes them.
TEST(ExchangeResolver, Times) {
  FakeExchange fake("GET", "/");
  fake.exchange.timing.begin = std::chrono::steady_clock::now() - std::chrono::seconds(7);
  auto matches = [&](std::string_view text, const std::string& form) {
    const std::string found = value(fake.exchange, text);
    EXPECT_TRUE(RE2::FullMatch(found, form)) << text << ": " << found;
    return found;
  };
  matches("{time.iso}", R"(20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)");
  matches("{time.clf}", R"(\d\d/[A-Z][a-z]{2}/20\d\d:\d\d:\d\d:\d\d \+0000)");
  matches("{time.elapsed}", R"([789]\.\d{6})");
  const std::string unix_time = matches("{time.unix}", R"(\d{10}\.\d{6})");
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const double expected = std::chrono::duration<double>(now).count();
  EXPECT_NEAR(std::stod(unix_time), expected, 5);
}

TEST(AppendSeconds, HasMicroseconds) {
  std::string out;
  append_seconds(out, std::chrono::microseconds(1'000'234));
  EXPECT_EQ(out, "1.000234");
}

TEST(Fields, FindSetRemove) {
  Fields fields;
  fields.add("content-type", "a");
  fields.add("X-Other", "b");
  fields.add("x-other", "c");
  EXPECT_EQ(fields.value(FieldName::content_type), "a");
  EXPECT_EQ(fields.find("X-OTHER")->value, "b");
  fields.set("X-Other", "d");
  EXPECT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields.find("x-other")->value, "d");
  fields.remove(FieldName::content_type);
  EXPECT_FALSE(fields.has(FieldName::content_type));
  EXPECT_TRUE(fields.has(FieldName::other));
}

TEST(FieldName, EachIsFoundInAnyCase) {
  for (int i = 1; i <= static_cast<int>(FieldName::x_request_id); ++i) {
    auto id = static_cast<FieldName>(i);
    std::string text(field_text(id));
    EXPECT_EQ(field_name(text), id) << text;
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    EXPECT_EQ(field_name(text), id) << text;
  }
  EXPECT_EQ(field_name("Hosts"), FieldName::other);
  EXPECT_EQ(field_name(""), FieldName::other);
}

}  // namespace
}  // namespace http
