#include <array>
#include <chrono>

#include "config/keys.h"
#include "http/status.h"

namespace config {
namespace {

using handlers::CacheControlRule;
using handlers::Encoding;
using handlers::FileCacheOptions;
using handlers::FilesOptions;
using handlers::RedirectOptions;
using handlers::RespondOptions;
using handlers::Symlinks;

const Object<CacheControlRule>& cache_control_keys() {
  static const Object<CacheControlRule> object = [] {
    Object<CacheControlRule> keys("a rule of cache_control", "Cache-Control for some paths.");
    keys.key("glob", glob(), &CacheControlRule::glob, "Paths that it is for.")
        .required()
        .example("/assets/**");
    keys.key("value", text("field value"), &CacheControlRule::value, "Value of Cache-Control.")
        .required()
        .example("public, max-age=31536000, immutable");
    return keys;
  }();
  return object;
}

const Object<FileCacheOptions>& file_cache_keys() {
  static const Object<FileCacheOptions> object = [] {
    Object<FileCacheOptions> keys("cache of files",
                                  "Small hot files in memory, for each `files` and worker.");
    keys.key("files", integer<std::uint32_t>(0, 1'000'000), &FileCacheOptions::files,
             "Files at most; 0: none.");
    keys.key("file_size", size(0, 64 << 20), &FileCacheOptions::file_size,
             "Larger files are not kept.");
    keys.key("size", size(0, std::uint64_t{1} << 40), &FileCacheOptions::size, "Bytes in all.");
    keys.key("fresh", duration(std::chrono::seconds(0), std::chrono::hours(24)),
             &FileCacheOptions::fresh,
             "Nothing older is served: after this time the next request has it looked at again.");
    return keys;
  }();
  return object;
}

const Object<FilesOptions>& files_keys() {
  static const Object<FilesOptions> object = [] {
    Object<FilesOptions> keys("files", "Serves files of a folder.");
    keys.key("root", file_path("path of a folder", FileReference::Kind::folder),
             &FilesOptions::root, "The folder.")
        .required();
    keys.key("index", list_of(text("file name"), 16), &FilesOptions::index,
             "Files that stand for their folder; the first that is there.");
    keys.key("browse", boolean(), &FilesOptions::browse,
             "Lists folders without an index, in HTML or JSON by Accept.");
    keys.key("fallback", url_path(), &FilesOptions::fallback,
             "What is served where nothing is, for single-page applications.")
        .example("/index.html");
    keys.key("clean_urls", boolean(), &FilesOptions::clean_urls,
             "`/about` serves `about.html`, and `/about.html` redirects to `/about`.");
    keys.key("hidden", words<bool>({{"refuse", false}, {"serve", true}}),
             &FilesOptions::serve_hidden,
             "Names that begin with a dot: 404, or served. `.well-known` always is.");
    keys.key("symlinks",
             words<Symlinks>({{"inside", Symlinks::kInside},
                              {"owner", Symlinks::kOwner},
                              {"follow", Symlinks::kFollow}}),
             &FilesOptions::symlinks,
             "Links: never out of the root, out of it where link and target have the same owner, "
             "or anywhere.");
    keys.key("precompressed",
             list_of(words<Encoding>(
                 {{"zst", Encoding::kZstd}, {"br", Encoding::kBrotli}, {"gz", Encoding::kGzip}})),
             &FilesOptions::precompressed,
             "`FILE.zst` and so on are served by Accept-Encoding; preferred first. `[]`: none.");
    keys.key("cache_control", list_of(object_type(cache_control_keys, "rule"), 1000),
             &FilesOptions::cache_control, "Cache-Control by path; the first rule that matches.")
        .example("[{glob: \"/assets/**\", value: \"public, max-age=31536000, immutable\"}]");
    keys.key("cache", object_type(file_cache_keys, "keys"), &FilesOptions::cache,
             "Small hot files in memory, for each `files` and worker.");
    return keys;
  }();
  return object;
}

const Object<RespondOptions>& respond_keys() {
  static const Object<RespondOptions> object = [] {
    Object<RespondOptions> keys("respond", "A fixed response.");
    keys.key("status", integer<int>(200, 599), &RespondOptions::status, "Status code.");
    keys.key("body", text_template(base::Escape::kNone), &RespondOptions::body, "Its body.")
        .example("\"hello {client.ip}\\n\"");
    keys.key("fields", field_values(), &RespondOptions::fields, "Its fields.")
        .example("{Content-Type: text/plain}");
    keys.check([](Reader& reader, const Node& node, RespondOptions& out) {
      if (out.body.empty() || http::status_has_body(out.status)) return true;
      reader.error(*node.find("body")->value,
                   std::format("a response with status {} has no body", out.status),
                   "remove the body, or use another status");
      return false;
    });
    return keys;
  }();
  return object;
}

Type<int> redirect_status() {
  return words<int>({{"301", 301}, {"302", 302}, {"303", 303}, {"307", 307}, {"308", 308}});
}

const Object<RedirectOptions>& redirect_keys() {
  static const Object<RedirectOptions> object = [] {
    Object<RedirectOptions> keys("redirect", "A redirect.");
    keys.key("to", text_template(base::Escape::kUrl), &RedirectOptions::to, "Where to: a URL.")
        .required()
        .example("https://example.com{request.uri}");
    keys.key("status", redirect_status(), &RedirectOptions::status,
             "301 and 308 are permanent; 307 and 308 keep the method.");
    return keys;
  }();
  return object;
}

}  // namespace

Type<std::vector<handlers::FieldValue>> field_values() {
  const Type<base::Template> value = text_template(base::Escape::kField);
  Type<std::vector<handlers::FieldValue>> type;
  type.shape = {
      .kind = Shape::Kind::map, .label = "map of field names to templates", .items = {value.shape}};
  type.read = [value](Reader& reader, const Node& node, std::vector<handlers::FieldValue>& out) {
    if (node.kind == Node::Kind::null) return true;
    if (node.kind != Node::Kind::map) {
      reader.error(node, std::format("expected a map of fields, found {}", kind_name(node)),
                   "write {NAME: VALUE}");
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : node.entries) {
      handlers::FieldValue field{.name = entry.key->text, .value = {}};
      if (!read_field_name(reader, *entry.key, field.name)) good = false;
      if (!value.read(reader, *entry.value, field.value)) good = false;
      out.push_back(std::move(field));
    }
    return good;
  };
  return type;
}

Type<FilesOptions> files_handler() {
  return object_or_short(
      files_keys,
      mapped<FilesOptions>(
          file_path("path of a folder", FileReference::Kind::folder),
          [](FilesOptions& out, std::string&& root) { out.root = std::move(root); }),
      "keys");
}

Type<RespondOptions> respond_handler() {
  return object_or_short(
      respond_keys,
      mapped<RespondOptions>(integer<int>(200, 599),
                             [](RespondOptions& out, int status) { out.status = status; }),
      "keys");
}

Type<RedirectOptions> redirect_handler() {
  return object_or_short(redirect_keys,
                         mapped<RedirectOptions>(text_template(base::Escape::kUrl),
                                                 [](RedirectOptions& out, base::Template&& to) {
                                                   out.to = std::move(to);
                                                 }),
                         "keys");
}

}  // namespace config
