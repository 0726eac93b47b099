#include "http/accept.h"

#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

constexpr Coding kAll[] = {Coding::kZstd, Coding::kBrotli, Coding::kGzip};

std::string chosen(std::string_view field, std::span<const Coding> at_hand = kAll) {
  const auto coding = AcceptedCodings::parse(field).choose(at_hand);
  return coding ? std::string(coding_name(*coding)) : "none";
}

TEST(AcceptTest, F08Codings) {
  EXPECT_EQ(chosen("gzip, deflate, br, zstd"), "zstd");
  EXPECT_EQ(chosen("gzip, deflate, br"), "br");
  EXPECT_EQ(chosen("gzip"), "gzip");
  EXPECT_EQ(chosen("x-gzip"), "gzip");
  EXPECT_EQ(chosen("GZIP"), "gzip");
  EXPECT_EQ(chosen("deflate"), "identity");
  EXPECT_EQ(chosen(""), "identity");
  EXPECT_EQ(chosen("gzip;q=1.0, br;q=0.8"), "gzip");
  EXPECT_EQ(chosen("gzip ; Q=0.5 , br ; q=0.5"), "br");
  EXPECT_EQ(chosen("gzip;q=0"), "identity");
  EXPECT_EQ(chosen("br;q=0, *"), "zstd");
  EXPECT_EQ(chosen("zstd;q=0, br;q=0.0, *;q=0.5"), "gzip");
  EXPECT_EQ(chosen("gzip;q=0.001"), "gzip");
  EXPECT_EQ(chosen("gzip", {}), "identity");
}

TEST(AcceptTest, F08Identity) {
  EXPECT_EQ(chosen("identity;q=0"), "none");
  EXPECT_EQ(chosen("*;q=0"), "none");
  EXPECT_EQ(chosen("identity;q=0, gzip;q=0.1"), "gzip");
  EXPECT_EQ(chosen("*;q=0, identity"), "identity");
  EXPECT_EQ(chosen("*;q=0, identity;q=0.1, br;q=0.1"), "br");
  EXPECT_EQ(chosen("gzip;q=0.5, identity"), "identity");
  EXPECT_EQ(chosen("gzip;q=0.5, identity;q=0.5"), "gzip");
  EXPECT_EQ(chosen("*"), "zstd");
  EXPECT_EQ(AcceptedCodings().choose(kAll), Coding::kIdentity);
}

TEST(AcceptTest, WhatIsMalformedIsSkipped) {
  EXPECT_EQ(chosen("gzip;q=2"), "identity");
  EXPECT_EQ(chosen("gzip;q=x, br"), "br");
  EXPECT_EQ(chosen("gzip;;q=0.5"), "gzip");
  EXPECT_EQ(chosen("gzip q=1"), "identity");
  EXPECT_EQ(chosen("gzip;q"), "identity");
  EXPECT_EQ(chosen(",,gzip,,"), "gzip");
  EXPECT_EQ(chosen("gzip\""), "identity");
}

TEST(AcceptTest, PrefersJson) {
  EXPECT_FALSE(prefers_json(""));
  EXPECT_FALSE(prefers_json("*/*"));
  EXPECT_FALSE(prefers_json("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
  EXPECT_TRUE(prefers_json("application/json"));
  EXPECT_TRUE(prefers_json("Application/JSON; charset=utf-8"));
  EXPECT_TRUE(prefers_json("application/json, text/plain, */*"));
  EXPECT_TRUE(prefers_json("application/json, text/html"));
  EXPECT_FALSE(prefers_json("text/html, application/json"));
  EXPECT_TRUE(prefers_json("text/html;q=0.9, application/json"));
  EXPECT_FALSE(prefers_json("application/json;q=0"));
  EXPECT_TRUE(prefers_json("application/*"));
  EXPECT_FALSE(prefers_json("text/*"));
  EXPECT_TRUE(prefers_json("text/html;q=0, */*"));
}

TEST(AcceptTest, AcceptsType) {
  EXPECT_TRUE(accepts_type("", "text/html"));
  EXPECT_TRUE(accepts_type("text/*;q=0.1", "text/html; charset=utf-8"));
  EXPECT_FALSE(accepts_type("text/html;q=0, */*", "text/html"));
  EXPECT_FALSE(accepts_type("image/png", "text/html"));
  EXPECT_FALSE(accepts_type("*", "text/html"));
}

}  // namespace
}  // namespace http
