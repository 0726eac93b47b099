#include <algorithm>
#include <array>
#include <optional>

#include "config/keys.h"
#include "handlers/error_pages.h"
#include "http/syntax.h"

namespace config {
namespace {

using handlers::BasicAuthOptions;
using handlers::CompressOptions;
using handlers::Encoding;
using handlers::ErrorPage;
using handlers::ErrorPagesOptions;
using handlers::FieldChanges;
using handlers::HttpsRedirectOptions;
using handlers::RewriteOptions;
using handlers::SecurityHeadersOptions;
using handlers::User;
using server::FilterOptions;

// The filter's own options, made anew within the variant.
template <typename Options>
Options& become(FilterOptions& out) {
  return out.emplace<Options>();
}

// `true`, for filters that need no keys.
template <typename Options>
Type<Options> only_true(std::string name) {
  Type<Options> type;
  type.shape = {.kind = Shape::Kind::words, .label = "`true`", .words = {"true"}};
  type.read = [name](Reader& reader, const Node& node, Options&) {
    if (node.kind == Node::Kind::scalar && node.text == "true") return true;
    reader.error(node, std::format("expected true or a map of keys ({})", name),
                 "to have the filter off, leave it out");
    return false;
  };
  return type;
}

template <typename Options>
const Object<Options>& field_change_keys(std::string name, std::string description) {
  static const Object<Options> object = [&] {
    const auto changes = [](auto FieldChanges::* member) {
      return [member](Options& out) -> auto& { return static_cast<FieldChanges&>(out).*member; };
    };
    Object<Options> keys(std::move(name), std::move(description));
    keys.key("set", field_values(), changes(&FieldChanges::set),
             "Replaced, or added where there is none.")
        .example("{X-Real-IP: \"{client.ip}\"}");
    keys.key("add", field_values(), changes(&FieldChanges::add), "Added to those that are there.");
    keys.key("remove", list_of(field_name(), 100), changes(&FieldChanges::remove),
             "Removed, before the others apply.")
        .example("[X-Powered-By]");
    return keys;
  }();
  return object;
}

const Object<handlers::RequestFieldsOptions>& request_field_keys() {
  return field_change_keys<handlers::RequestFieldsOptions>("request_fields",
                                                           "Changes the request's fields.");
}

const Object<handlers::ResponseFieldsOptions>& response_field_keys() {
  return field_change_keys<handlers::ResponseFieldsOptions>("response_fields",
                                                            "Changes the response's fields.");
}

// A prefix, without a slash at its end.
Type<std::string> prefix() {
  Type<std::string> type = url_path("URL path");
  type.format = nullptr;
  type.read = [read = type.read](Reader& reader, const Node& node, std::string& out) {
    std::string path;
    if (!read(reader, node, path)) return false;
    while (path.ends_with('/')) path.pop_back();
    if (path.empty()) {
      reader.error(node, "the prefix is only a slash, which changes nothing",
                   "write a prefix like /api, or leave the filter out");
      return false;
    }
    out = std::move(path);
    return true;
  };
  return type;
}

const Object<RewriteOptions>& rewrite_keys() {
  static const Object<RewriteOptions> object = [] {
    Object<RewriteOptions> keys("rewrite", "Changes the path by a regular expression.");
    keys.key("match", regex(), &RewriteOptions::match,
             "On the canonical path; where it doesn't match, nothing changes.")
        .required()
        .example("^/old/(.*)$");
    keys.key("to", text_template(base::Escape::kUrl), &RewriteOptions::to,
             "The new path, with a query if there is a `?`.")
        .required()
        .example("/new/{match.1}");
    keys.check([](Reader& reader, const Node&, RewriteOptions& out) {
      reader.add_groups(out.match);
      return true;
    });
    return keys;
  }();
  return object;
}

const Object<HttpsRedirectOptions>& https_redirect_keys() {
  static const Object<HttpsRedirectOptions> object = [] {
    Object<HttpsRedirectOptions> keys("https_redirect", "Redirects cleartext requests to https.");
    keys.key("status", words<int>({{"301", 301}, {"302", 302}, {"307", 307}, {"308", 308}}),
             &HttpsRedirectOptions::status, "Status of the redirect.");
    keys.key("port", integer<std::uint16_t>(1, 65535), &HttpsRedirectOptions::port,
             "Port of https, as clients see it.");
    return keys;
  }();
  return object;
}

Type<std::vector<User>> users() {
  Type<std::vector<User>> type;
  type.shape.kind = Shape::Kind::map;
  type.shape.label = "map of names to password hashes";
  type.shape.items = {{.kind = Shape::Kind::any_text, .label = "password hash"}};
  type.read = [](Reader& reader, const Node& node, std::vector<User>& out) {
    if (node.kind != Node::Kind::map) {
      reader.error(node, std::format("expected a map of users, found {}", kind_name(node)),
                   "write {NAME: HASH}");
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : node.entries) {
      const std::string& name = entry.key->text;
      if (name.empty() || name.find(':') != std::string::npos) {
        // RFC 7617 2: the user-id ends at the first colon.
        reader.error(*entry.key, "a user's name can't be empty or hold a colon");
        good = false;
      }
      const std::string* hash = reader.scalar(*entry.value, "a password hash");
      if (hash == nullptr) {
        good = false;
        continue;
      }
      constexpr std::array<std::string_view, 5> kKinds = {"$2a$", "$2b$", "$2y$", "$argon2", "$6$"};
      const bool known = std::ranges::any_of(
          kKinds, [&](std::string_view kind) { return hash->starts_with(kind); });
      if (!known) {
        // The text may be a password: it is not shown in the message.
        reader.error(*entry.key,
                     std::format("the password of {} is not a bcrypt, argon2 or SHA-512 crypt hash",
                                 in_quotes(name)),
                     std::format("make one with: htpasswd -nB {}", name));
        good = false;
      }
      out.push_back({.name = name, .hash = *hash});
    }
    return good;
  };
  return type;
}

const Object<BasicAuthOptions>& basic_auth_keys() {
  static const Object<BasicAuthOptions> object = [] {
    Object<BasicAuthOptions> keys("basic_auth", "Asks for a user's name and password.");
    keys.key("realm", text("text"), &BasicAuthOptions::realm, "What the password is for.");
    keys.key("users", users(), &BasicAuthOptions::users,
             "Names and hashes: bcrypt, argon2 or SHA-512 crypt.")
        .example("{alice: \"$2y$10$...\"}");
    keys.key("file", file_path("path of a file", FileReference::Kind::users),
             &BasicAuthOptions::file, "A file with lines of `name:hash`, as htpasswd makes.");
    keys.check([](Reader& reader, const Node& node, BasicAuthOptions& out) {
      if (out.realm.find_first_of("\"\\") != std::string::npos) {
        reader.error(*node.find("realm")->value, "a realm can't hold quotes or backslashes");
        return false;
      }
      if (node.find("users") != nullptr || node.find("file") != nullptr) return true;
      reader.error(node, "basic_auth without any users", "add users: {NAME: HASH} or file: PATH");
      return false;
    });
    return keys;
  }();
  return object;
}

Type<std::string> media_type_pattern() {
  Type<std::string> type = text("media type");
  type.format = nullptr;
  type.read = [read = type.read](Reader& reader, const Node& node, std::string& out) {
    std::string pattern;
    if (!read(reader, node, pattern)) return false;
    const std::size_t slash = pattern.find('/');
    if (slash == std::string::npos || !http::is_token(pattern.substr(0, slash)) ||
        !http::is_token(pattern.substr(slash + 1))) {
      reader.error(node, std::format("{} is not a media type", in_quotes(pattern)),
                   "write it like text/* or application/json");
      return false;
    }
    out = base::lower(pattern);
    return true;
  };
  return type;
}

const Object<CompressOptions>& compress_keys() {
  static const Object<CompressOptions> object = [] {
    Object<CompressOptions> keys("compress", "Compresses responses by Accept-Encoding.");
    keys.key(
        "encodings",
        list_of(words<Encoding>(
            {{"zstd", Encoding::kZstd}, {"br", Encoding::kBrotli}, {"gzip", Encoding::kGzip}})),
        &CompressOptions::encodings, "Preferred first.");
    keys.key("types", list_of(media_type_pattern(), 1000), &CompressOptions::types,
             "Media types. Without it: text and what is made of text.")
        .example("[text/*, application/json]");
    keys.key("min_size", size(0, std::uint64_t{1} << 30), &CompressOptions::min_size,
             "Smaller bodies are left as they are.");
    return keys;
  }();
  return object;
}

// `404`, `4xx`, `5xx`.
std::optional<ErrorPage> parse_statuses(std::string_view text) {
  if (text.size() != 3 || (text[0] != '4' && text[0] != '5')) return std::nullopt;
  const int first = (text[0] - '0') * 100;
  if (text.substr(1) == "xx") return ErrorPage{.first = first, .last = first + 99, .path = {}};
  const auto number = base::parse_decimal(text);
  if (!number) return std::nullopt;
  return ErrorPage{
      .first = static_cast<int>(*number), .last = static_cast<int>(*number), .path = {}};
}

Type<std::vector<ErrorPage>> pages() {
  const Type<std::string> path = url_path();
  Type<std::vector<ErrorPage>> type;
  type.shape = {.kind = Shape::Kind::map,
                .label = "map of statuses (`404`, `5xx`) to URL paths",
                .items = {path.shape}};
  type.read = [path](Reader& reader, const Node& node, std::vector<ErrorPage>& out) {
    if (node.kind != Node::Kind::map) {
      reader.error(node, std::format("expected a map of statuses, found {}", kind_name(node)),
                   "write {404: /404.html}");
      return false;
    }
    bool good = true;
    for (const Node::Entry& entry : node.entries) {
      auto page = parse_statuses(entry.key->text);
      if (!page) {
        reader.error(*entry.key,
                     std::format("{} is not a status of an error", in_quotes(entry.key->text)),
                     "write a number from 400 to 599, or 4xx or 5xx");
        good = false;
        continue;
      }
      if (!path.read(reader, *entry.value, page->path)) good = false;
      out.push_back(std::move(*page));
    }
    // The narrower first.
    std::ranges::stable_sort(out, {}, [](const ErrorPage& page) { return page.last - page.first; });
    return good;
  };
  return type;
}

const Object<ErrorPagesOptions>& error_page_keys() {
  static const Object<ErrorPagesOptions> object = [] {
    Object<ErrorPagesOptions> keys("error_pages", "Pages of your own for errors.");
    keys.key("root", file_path("path of a folder", FileReference::Kind::folder),
             &ErrorPagesOptions::root, "Their folder.")
        .required();
    keys.key("pages", pages(), &ErrorPagesOptions::pages, "Which page for which status.")
        .required()
        .example("{404: /404.html, 5xx: /5xx.html}");
    keys.key("intercept", boolean(), &ErrorPagesOptions::intercept,
             "Errors that come from an origin get them, too.");
    keys.check([](Reader& reader, const Node& node, ErrorPagesOptions& out) {
      const Node::Entry* pages = node.find("pages");
      if (pages == nullptr || out.root.empty()) return true;
      for (const Node::Entry& page : pages->value->entries) {
        if (page.value->kind != Node::Kind::scalar || page.value->text.empty()) continue;
        const ErrorPage one{.first = 0, .last = 0, .path = page.value->text};
        reader.files.push_back({.node = page.value,
                                .path = handlers::ErrorPages::file_of(out, one),
                                .kind = FileReference::Kind::file});
      }
      return true;
    });
    return keys;
  }();
  return object;
}

Type<std::string> value_or_off() {
  Type<std::string> type;
  type.shape = {.kind = Shape::Kind::any_text, .label = "field value or `off`"};
  type.format = [](const std::string& value) { return value.empty() ? "off" : value; };
  const Type<base::Template> literal = text_template(base::Escape::kField);
  type.read = [](Reader& reader, const Node& node, std::string& out) {
    const std::string* value = reader.scalar(node, "a field's value or off");
    if (value == nullptr) return false;
    if (std::ranges::any_of(*value, base::is_control)) {
      reader.error(node, "a field's value can't hold line breaks or control characters",
                   "write it on one line");
      return false;
    }
    out = *value == "off" ? std::string() : *value;
    return true;
  };
  return type;
}

const Object<SecurityHeadersOptions>& security_header_keys() {
  static const Object<SecurityHeadersOptions> object = [] {
    using Options = SecurityHeadersOptions;
    Object<Options> keys("security_headers", "Fields that make browsers careful.");
    keys.key("hsts", value_or_off(), &Options::hsts, "Strict-Transport-Security, over TLS only.");
    keys.key("frame", value_or_off(), &Options::frame, "X-Frame-Options.");
    keys.key("content_type", value_or_off(), &Options::content_type, "X-Content-Type-Options.");
    keys.key("referrer", value_or_off(), &Options::referrer, "Referrer-Policy.");
    keys.key("csp", value_or_off(), &Options::csp, "Content-Security-Policy.")
        .example("\"default-src 'self'\"");
    return keys;
  }();
  return object;
}

void add_field_filters(Object<FilterOptions>& keys) {
  keys.key("request_fields", object_type(request_field_keys, "keys"),
           become<handlers::RequestFieldsOptions>, "Changes the request's fields.");
  keys.key("response_fields", object_type(response_field_keys, "keys"),
           become<handlers::ResponseFieldsOptions>, "Changes the response's fields.");
  keys.key("security_headers",
           object_or_short(security_header_keys,
                           only_true<SecurityHeadersOptions>("security_headers"), "keys"),
           become<SecurityHeadersOptions>,
           "Fields that make browsers careful. Those that the response has stay.");
}

void add_path_filters(Object<FilterOptions>& keys) {
  keys.key(
          "strip_prefix", prefix(),
          [](FilterOptions& out) -> std::string& {
            return become<handlers::StripPrefixOptions>(out).prefix;
          },
          "Takes a prefix off the path, by whole segments.")
      .example("/api");
  keys.key(
          "add_prefix", prefix(),
          [](FilterOptions& out) -> std::string& {
            return become<handlers::AddPrefixOptions>(out).prefix;
          },
          "Puts a prefix before the path.")
      .example("/v1");
  keys.key("rewrite", object_type(rewrite_keys, "keys"), become<RewriteOptions>,
           "Changes the path by a regular expression.")
      .example("{match: \"^/old/(.*)$\", to: \"/new/{match.1}\"}");
}

void add_access_filters(Object<FilterOptions>& keys) {
  keys.key(
          "allow", networks(),
          [](FilterOptions& out) -> base::CidrSet& {
            return become<handlers::AllowOptions>(out).networks;
          },
          "Only clients of these networks; others get 403.")
      .example("[10.0.0.0/8]");
  keys.key(
          "deny", networks(),
          [](FilterOptions& out) -> base::CidrSet& {
            return become<handlers::DenyOptions>(out).networks;
          },
          "Not clients of these networks; they get 403.")
      .example("[192.0.2.0/24]");
  keys.key("https_redirect",
           object_or_short(https_redirect_keys, only_true<HttpsRedirectOptions>("https_redirect"),
                           "keys"),
           become<HttpsRedirectOptions>, "Redirects requests that came in clear to https.")
      .example("true");
  keys.key("basic_auth", object_type(basic_auth_keys, "keys"), become<BasicAuthOptions>,
           "Asks for a user's name and password.");
  keys.key(
          "body_limit", size(0, UINT64_MAX >> 1),
          [](FilterOptions& out) -> std::uint64_t& {
            return become<handlers::BodyLimitOptions>(out).size;
          },
          "Larger request bodies get 413.")
      .default_text("")
      .example("10MiB");
}

void add_body_filters(Object<FilterOptions>& keys) {
  keys.key("compress",
           object_or_short(compress_keys, only_true<CompressOptions>("compress"), "keys"),
           become<CompressOptions>, "Compresses responses by Accept-Encoding.")
      .example("true");
  keys.key("error_pages", object_type(error_page_keys, "keys"), become<ErrorPagesOptions>,
           "Pages of your own for errors.");
}

}  // namespace

const Object<FilterOptions>& filter_keys() {
  static const Object<FilterOptions> object = [] {
    Object<FilterOptions> keys("a filter", "One entry of a list of filters: it has one key.");
    add_field_filters(keys);
    add_path_filters(keys);
    add_access_filters(keys);
    add_body_filters(keys);
    std::vector<std::string> names;
    for (const KeyShape& key : keys.shape().keys) names.push_back(key.name);
    keys.choice(std::move(names));
    return keys;
  }();
  return object;
}

}  // namespace config
