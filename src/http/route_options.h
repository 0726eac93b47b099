// What a route matches on, compiled: the values that http/router.h is built from.
//
// All conditions that are given must hold; of a list, one. No condition: everything matches.
// Paths are the canonical path (http/path.h); `exact` and `prefix` texts are canonical themselves.
// Immutable once built, shared by all workers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cidr.h"
#include "base/glob.h"
#include "http/regex.h"

namespace http {

// `/health`, `/api/*` (the path itself or beneath it, by whole segments: is_under), `~^/u/(.*)$`.
struct PathPattern {
  enum class Kind : std::uint8_t { exact, prefix, regex };
  Kind kind = Kind::exact;
  std::string text;  // exact; prefix without its `/*` ("" for `/*`)
  Regex regex;

  bool operator==(const PathPattern&) const = default;
};

// `1` (the whole value), `*` (there is one), `!` (there is none), `~^y` (a regular expression).
struct ValuePattern {
  enum class Kind : std::uint8_t { exact, present, absent, regex };
  Kind kind = Kind::exact;
  std::string text;
  Regex regex;

  bool operator==(const ValuePattern&) const = default;
};

// A field, a parameter of the query (percent-decoded), or a cookie.
struct NamedPattern {
  std::string name;
  ValuePattern value;

  bool operator==(const NamedPattern&) const = default;
};

struct MatchOptions {
  std::vector<PathPattern> paths;  // any of them, or any of the globs
  std::vector<base::Glob> globs;
  std::vector<std::string> methods;   // any of them; GET stands for HEAD too
  std::vector<NamedPattern> headers;  // each; a field's lines: any of them
  std::vector<NamedPattern> query;    // each; of several values the first
  std::vector<NamedPattern> cookies;  // each
  base::CidrSet clients;              // the client address is in it; empty: any

  bool empty() const {
    return paths.empty() && globs.empty() && methods.empty() && headers.empty() && query.empty() &&
           cookies.empty() && clients.empty();
  }
  bool operator==(const MatchOptions&) const = default;
};

}  // namespace http
