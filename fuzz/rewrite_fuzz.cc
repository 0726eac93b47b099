// Filters that change the path: afterwards raw and canonical path still mean the same (R2), and no
// capture or value of the query climbed out of the place where the template put it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "handlers/prefix.h"
#include "handlers/redirect.h"
#include "handlers/rewrite.h"
#include "http/fake_carrier.h"
#include "http/variables.h"

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

base::Template text(std::string_view source) {
  return *base::Template::compile(source, http::variables());
}

void check_paths(const http::Request& request) {
  std::string scratch(request.raw_path.size() + 1, '\0');
  const auto canonical = http::canonical_path(request.raw_path, scratch.data());
  check(canonical.has_value() && *canonical == request.path);
  for (char c : request.raw_path) check(c > ' ' && c < 0x7f && c != '?' && c != '#');
  for (char c : request.query) check(c > ' ' && c < 0x7f);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const handlers::RewriteOptions captures{*http::Regex::compile("^/a/(.*?)/?(b|c.*)?$"),
                                                 text("/x/{match.1}/y?{match.2}&{request.query}")};
  static const handlers::RewriteOptions query{*http::Regex::compile("^/(.*)"),
                                              text("/{request.query.q}/{match.1}")};
  static const handlers::StripPrefixOptions strip{"/a"};
  static const handlers::AddPrefixOptions add{"/v 1"};
  static const handlers::RedirectOptions redirect{text("{request.uri}"), 308};
  std::string target = "/";
  for (std::size_t i = 1; i < size; ++i) {
    const char c = static_cast<char>(data[i]);
    // What http/target.h lets through.
    if (c > ' ' && c < 0x7f && c != '#' && c != '\\' && c != '"' && c != '<' && c != '>')
      target += c;
  }
  try {
    http::FakeExchange fake("GET", target);
    const auto apply = [&fake](http::Filter&& filter) {
      const bool next = filter.filter(fake.exchange).verdict() == http::Verdict::next;
      if (next) check_paths(fake.exchange.request());
      return next;
    };
    bool going = true;
    if (going && (data[0] & 1) != 0) going = apply(handlers::StripPrefix(strip));
    if (going && (data[0] & 2) != 0) going = apply(handlers::Rewrite(captures));
    if (going && (data[0] & 4) != 0) going = apply(handlers::AddPrefix(add));
    if (going && (data[0] & 8) != 0) going = apply(handlers::Rewrite(query));
    if (!going) return 0;
    handlers::Redirect handler(redirect);
    check(handler.handle(fake.exchange).done());
    const std::string location = fake.carrier.field("Location");
    check(location.starts_with('/') && !location.starts_with("//"));
    for (char c : location) check(c > ' ' && c < 0x7f);
  } catch (const std::invalid_argument&) {
    // A path that is refused before any filter.
  }
  return 0;
}
