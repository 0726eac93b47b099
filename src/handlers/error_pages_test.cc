#include "handlers/error_pages.h"

#include <gtest/gtest.h>

#include "handlers/compress.h"
#include "handlers/test_world.h"

namespace handlers {
namespace {

struct Failure final : http::Handler {
  explicit Failure(int s = 404, bool o = false) : status(s), from_origin(o) {}
  int status;
  bool from_origin;
  http::Outcome handle(http::Exchange& exchange) override {
    if (!from_origin) {
      exchange.respond(status);
      return {};
    }
    exchange.upstream_status = status;
    exchange.response().status = status;
    exchange.response().fields.add("Content-Type", "application/json");
    exchange.response().fields.add("ETag", "\"x\"");
    exchange.response().fields.add("Retry-After", "5");
    exchange.respond(base::Slice::copy_of("{\"error\":1}"));
    return {};
  }
};

class ErrorPagesTest : public testing::Test {
 protected:
  ErrorPagesTest() {
    world.write("404.html", "<h1>not here</h1>");
    world.write("5xx.html", "<h1>broken</h1>" + std::string(3000, ' '));
    options.root = world.root;
    options.pages = {{404, 404, "/404.html"}, {500, 599, "5xx.html"}};
  }
  http::FakeCarrier& ask(Failure failure, const char* method = "GET",
                         http::Filter* after = nullptr) {
    for (const ErrorPage& page : options.pages) {
      EXPECT_TRUE(texts.read(ErrorPages::file_of(options, page), ErrorPages::kPageSizeMax));
    }
    auto made = ErrorPages::create(options, texts, world.services);
    EXPECT_TRUE(made);
    filter = std::move(*made);
    world.begin(method, "/", {{"Accept-Encoding", "gzip"}});
    world.exchange->filter(*filter);
    if (after != nullptr) world.exchange->filter(*after);
    world.exchange->handle(failure);
    return world.exchange->carrier;
  }
  World world;
  ErrorPagesOptions options;
  FileTexts texts;
  std::unique_ptr<ErrorPages> filter;
};

TEST_F(ErrorPagesTest, ReplacesGeneratedErrors) {
  const auto& got = ask(Failure());
  EXPECT_EQ(got.status, 404);
  EXPECT_EQ(got.body, "<h1>not here</h1>");
  EXPECT_EQ(got.field("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(got.length, http::BodyLength::of(got.body.size()));
  EXPECT_TRUE(ask(Failure(503)).body.starts_with("<h1>broken</h1>"));
  EXPECT_EQ(ask(Failure(403)).body, "403 Forbidden\n");
}

TEST_F(ErrorPagesTest, LeavesWhatAnOriginSaysUnlessToldTo) {
  EXPECT_EQ(ask(Failure(404, true)).body, "{\"error\":1}");
  options.intercept = true;
  const auto& got = ask(Failure(404, true));
  EXPECT_EQ(got.body, "<h1>not here</h1>");
  EXPECT_EQ(got.count("Content-Type"), 1u);
  EXPECT_FALSE(got.has("ETag"));
  EXPECT_EQ(got.field("Retry-After"), "5");
}

TEST_F(ErrorPagesTest, HeadHasTheLengthOfThePage) {
  const auto& got = ask(Failure(), "HEAD");
  EXPECT_EQ(got.body, "");
  EXPECT_EQ(got.length, http::BodyLength::of(17));
}

TEST_F(ErrorPagesTest, WithCompressionInEitherOrder) {
  const CompressOptions compress_options;
  Compress compress(compress_options);
  // Registered later, so it acts first and sees what is replaced.
  const auto& inner = ask(Failure(500), "GET", &compress);
  EXPECT_TRUE(inner.body.starts_with("<h1>broken</h1>"));
  EXPECT_FALSE(inner.has("Content-Encoding"));
}

TEST_F(ErrorPagesTest, APageThatIsMissingIsASentence) {
  ask(Failure(404));  // reads the others
  options.pages.push_back({502, 502, "nowhere.html"});
  const auto made = ErrorPages::create(options, texts, world.services);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find("nowhere.html"), std::string::npos);
}

}  // namespace
}  // namespace handlers
