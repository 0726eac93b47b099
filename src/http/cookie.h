// Cookies, as far as a server that isn't their author needs them: finding one, and rewriting where
// a response's cookie belongs when the origin is mounted elsewhere.
//
// Names and values are opaque bytes (RFC 6265 4.2.2); nothing is decoded. Quotes around a value are
// part of it. Not a jar.
// Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace http {

// The first cookie of this name in a Cookie field; names are case-sensitive.
std::optional<std::string_view> find_cookie(std::string_view field, std::string_view name);

struct CookieRewrite {
  // Path=/from… becomes /to…, by whole segments (http/path.h). An empty `path_from` changes none.
  std::string_view path_from, path_to;
  // Domain=from becomes Domain=to, ignoring case and a leading dot; an empty `domain_to` removes
  // it, which makes it a cookie of the host that the client asked. An empty `domain_from` changes
  // none,
  // `*` changes any.
  std::string_view domain_from, domain_to;
};

// Appends the value of a Set-Cookie field with its Path and Domain rewritten, all else as it was.
void append_rewritten_set_cookie(std::string& out, std::string_view field,
                                 const CookieRewrite& rewrite);

}  // namespace http
