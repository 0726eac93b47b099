#include "http/cookie.h"

#include "base/text.h"
#include "http/path.h"

namespace http {
namespace {

std::string_view without_dot(std::string_view domain) {
  return domain.starts_with('.') ? domain.substr(1) : domain;
}

bool changes_domain(const CookieRewrite& rewrite, std::string_view domain) {
  if (rewrite.domain_from.empty()) return false;
  return rewrite.domain_from == "*" ||
         base::iequals(without_dot(domain), without_dot(rewrite.domain_from));
}

// The root of what moves becomes the new place itself: a cookie for `/app/` is not sent with `/app`
// (RFC 6265 5.1.4).
void append_path(std::string& out, std::string_view path, const CookieRewrite& rewrite) {
  const std::string_view rest = strip_prefix(path, rewrite.path_from).value_or(path);
  const bool root = rest == "/" && (path == "/" || !path.ends_with('/'));
  if (root && !rewrite.path_to.empty() && rewrite.path_to != "/") {
    out += rewrite.path_to;
  } else {
    append_joined(out, rewrite.path_to, rest);
  }
}

// Appends one attribute of the field, with what stands before it, or leaves it out.
void append_attribute(std::string& out, std::string_view attribute, const CookieRewrite& rewrite) {
  const std::size_t equals = attribute.find('=');
  const std::string_view name = base::trim(attribute.substr(0, equals));
  const std::string_view value =
      equals == std::string_view::npos ? "" : base::trim(attribute.substr(equals + 1));
  if (base::iequals(name, "domain") && changes_domain(rewrite, value)) {
    if (rewrite.domain_to.empty()) return;
    out += "; Domain=";
    out += rewrite.domain_to;
  } else if (base::iequals(name, "path") && !rewrite.path_from.empty() &&
             is_under(value, rewrite.path_from)) {
    out += "; Path=";
    append_path(out, value, rewrite);
  } else {
    out += ';';
    out += attribute;
  }
}

}  // namespace

std::optional<std::string_view> find_cookie(std::string_view field, std::string_view name) {
  while (const auto pair = base::next_piece(field, ';')) {
    if (pair->size() <= name.size() || !pair->starts_with(name)) continue;
    const std::string_view rest = base::trim_left(pair->substr(name.size()));
    if (rest.starts_with('=')) return base::trim_left(rest.substr(1));
  }
  return std::nullopt;
}

void append_rewritten_set_cookie(std::string& out, std::string_view field,
                                 const CookieRewrite& rewrite) {
  std::size_t end = field.find(';');
  out += field.substr(0, end);
  while (end != std::string_view::npos) {
    const std::size_t begin = end + 1;
    end = field.find(';', begin);
    append_attribute(out, field.substr(begin, end == std::string_view::npos ? end : end - begin),
                     rewrite);
  }
}

}  // namespace http
