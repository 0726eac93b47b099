// What may be configured of the handlers that answer by themselves, and of the filters.
//
// Plain values with the documented defaults. Text that may vary is compiled (base/template.h,
// variables of http/variables.h); names of files are as the configuration meant them and are first
// looked at when the handler is built. Immutable once built, shared by all workers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cidr.h"
#include "base/glob.h"
#include "base/template.h"
#include "http/regex.h"

namespace handlers {

enum class Encoding : std::uint8_t { kZstd, kBrotli, kGzip };

// Files.

enum class Symlinks : std::uint8_t {
  kInside,  // never out of the root (F04)
  kOwner,   // out of it where link and target have the same owner
  kFollow,
};

struct CacheControlRule {
  base::Glob glob;  // on the canonical path
  std::string value;

  bool operator==(const CacheControlRule&) const = default;
};

// Hot files in memory, per worker.
struct FileCacheOptions {
  std::uint32_t files = 1024;  // 0: no cache
  std::uint64_t file_size = 64 * 1024;
  std::uint64_t size = 32 * 1024 * 1024;
  std::chrono::nanoseconds fresh = std::chrono::seconds(1);  // looked at again after

  bool operator==(const FileCacheOptions&) const = default;
};

struct FilesOptions {
  std::string root;
  std::vector<std::string> index = {"index.html"};
  bool browse = false;
  std::string fallback;  // a path beneath the root, or empty
  bool clean_urls = false;
  bool serve_hidden = false;  // names that begin with a dot (F05)
  Symlinks symlinks = Symlinks::kInside;
  std::vector<Encoding> precompressed = {Encoding::kZstd, Encoding::kBrotli, Encoding::kGzip};
  std::vector<CacheControlRule> cache_control;  // the first that matches
  FileCacheOptions cache;

  bool operator==(const FilesOptions&) const = default;
};

// Respond and redirect.

struct FieldValue {
  std::string name;
  base::Template value;  // Escape::kField

  bool operator==(const FieldValue&) const = default;
};

struct RespondOptions {
  int status = 200;
  base::Template body;  // Escape::kNone: its author knows the media type
  std::vector<FieldValue> fields;

  bool operator==(const RespondOptions&) const = default;
};

struct RedirectOptions {
  base::Template to;  // Escape::kUrl
  int status = 308;

  bool operator==(const RedirectOptions&) const = default;
};

// Filters.

struct FieldChanges {
  std::vector<std::string> remove;  // before set, before add
  std::vector<FieldValue> set;
  std::vector<FieldValue> add;

  bool operator==(const FieldChanges&) const = default;
};
struct RequestFieldsOptions : FieldChanges {
  bool operator==(const RequestFieldsOptions&) const = default;
};
struct ResponseFieldsOptions : FieldChanges {
  bool operator==(const ResponseFieldsOptions&) const = default;
};

struct StripPrefixOptions {
  std::string prefix;  // begins with a slash and has none at its end

  bool operator==(const StripPrefixOptions&) const = default;
};

struct AddPrefixOptions {
  std::string prefix;  // likewise

  bool operator==(const AddPrefixOptions&) const = default;
};

struct RewriteOptions {
  http::Regex match;  // on the canonical path; the groups are {match.N} and {match.NAME}
  base::Template to;  // path and optional query; Escape::kUrl

  bool operator==(const RewriteOptions&) const = default;
};

struct AllowOptions {
  base::CidrSet networks;  // client addresses; others: 403

  bool operator==(const AllowOptions&) const = default;
};

struct DenyOptions {
  base::CidrSet networks;

  bool operator==(const DenyOptions&) const = default;
};

struct HttpsRedirectOptions {
  int status = 308;
  std::uint16_t port = 443;  // not written where it is 443

  bool operator==(const HttpsRedirectOptions&) const = default;
};

struct User {
  std::string name;
  std::string hash;  // bcrypt, argon2 or SHA-512 crypt

  bool operator==(const User&) const = default;
};

struct BasicAuthOptions {
  std::string realm = "Restricted";
  std::vector<User> users;
  std::string file;  // lines of name:hash; may be empty

  bool operator==(const BasicAuthOptions&) const = default;
};

struct BodyLimitOptions {
  std::uint64_t size = 0;

  bool operator==(const BodyLimitOptions&) const = default;
};

struct CompressOptions {
  std::vector<Encoding> encodings = {Encoding::kZstd, Encoding::kBrotli, Encoding::kGzip};
  std::vector<std::string> types;  // `text/*`, `application/json`; empty: what compresses well
  std::uint64_t min_size = 1024;

  bool operator==(const CompressOptions&) const = default;
};

struct ErrorPage {
  int first = 0;  // statuses; `5xx` is 500 to 599
  int last = 0;
  std::string path;  // beneath the root

  bool operator==(const ErrorPage&) const = default;
};

struct ErrorPagesOptions {
  std::string root;
  std::vector<ErrorPage> pages;  // single statuses before ranges
  bool intercept = false;        // errors that come from an origin too

  bool operator==(const ErrorPagesOptions&) const = default;
};

// Values of the fields; empty: the field is not sent.
struct SecurityHeadersOptions {
  std::string hsts = "max-age=31536000; includeSubDomains";  // Strict-Transport-Security, over TLS
  std::string frame = "SAMEORIGIN";                          // X-Frame-Options
  std::string content_type = "nosniff";                      // X-Content-Type-Options
  std::string referrer = "strict-origin-when-cross-origin";  // Referrer-Policy
  std::string csp;                                           // Content-Security-Policy

  bool operator==(const SecurityHeadersOptions&) const = default;
};

}  // namespace handlers
