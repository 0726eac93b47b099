#include "http/media_type.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace http {
namespace {

TEST(MediaTypeTest, BuiltIn) {
  const MediaTypes types;
  EXPECT_EQ(types.by_path("/index.html"), "text/html; charset=utf-8");
  EXPECT_EQ(types.by_path("/a.b/x.CSS"), "text/css; charset=utf-8");
  EXPECT_EQ(types.by_path("x.js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(types.by_path("x.json"), "application/json");
  EXPECT_EQ(types.by_path("x.svg"), "image/svg+xml");
  EXPECT_EQ(types.by_path("x.tar.gz"), "application/gzip");
  EXPECT_EQ(types.by_path("x.woff2"), "font/woff2");
  EXPECT_EQ(types.by_extension("PNG"), "image/png");
  for (const char* path : {"", "/", "/x", "/a.b/x", "x.", "/x.unheard-of", "."}) {
    EXPECT_EQ(types.by_path(path), MediaTypes::kUnknown) << path;
  }
  EXPECT_EQ(types.by_extension(std::string(1000, 'x')), MediaTypes::kUnknown);
}

TEST(MediaTypeTest, LoadsOverTheBuiltIn) {
  MediaTypes types;
  types.load(
      "# a comment\n"
      "application/x-foo\t\tfoo bar # fine\r\n"
      "text/x-foo baz\n"
      "application/x-no-extension\n"
      "text/html; charset=latin1 \n"
      "application/javascript js\n"
      "image/x-png png");
  EXPECT_EQ(types.by_extension("foo"), "application/x-foo");
  EXPECT_EQ(types.by_extension("bar"), "application/x-foo");
  EXPECT_EQ(types.by_extension("baz"), "text/x-foo; charset=utf-8");
  EXPECT_EQ(types.by_extension("png"), "image/x-png");
  EXPECT_EQ(types.by_extension("js"), "text/javascript; charset=utf-8");
  EXPECT_EQ(types.by_extension("html"), "text/html; charset=utf-8");
  types.set("JS", "text/plain");
  EXPECT_EQ(types.by_extension("js"), "text/plain; charset=utf-8");
  types.set("own", "text/own; charset=latin1");
  EXPECT_EQ(types.by_extension("own"), "text/own; charset=latin1");
  const MediaTypes moved = std::move(types);
  EXPECT_EQ(moved.by_extension("foo"), "application/x-foo");
}

TEST(MediaTypeTest, Essence) {
  EXPECT_EQ(essence("text/html ; charset=utf-8"), "text/html");
  EXPECT_TRUE(essence_is("Text/HTML;q=1", "text/html"));
  EXPECT_FALSE(essence_is("text/htmlx", "text/html"));
}

TEST(MediaTypeTest, Compressible) {
  for (const char* type : {"text/html; charset=utf-8", "Text/Plain", "application/json",
                           "image/svg+xml", "application/problem+json", "application/wasm",
                           "text/event-stream", "application/xhtml+xml"}) {
    EXPECT_TRUE(is_compressible(type)) << type;
  }
  for (const char* type :
       {"", "image/png", "video/mp4", "application/zip", "application/octet-stream", "font/woff2",
        "application/epub+zip", "application/grpc"}) {
    EXPECT_FALSE(is_compressible(type)) << type;
  }
}

}  // namespace
}  // namespace http
