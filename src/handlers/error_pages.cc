#include "handlers/error_pages.h"

#include <algorithm>
#include <array>

#include "http/status.h"

namespace handlers {

namespace {

using http::FieldName;

class Replacement final : public http::BodyTransform {
 public:
  explicit Replacement(std::string_view text) : text_(text) {}
  void transform(std::string_view, std::string&) override {}
  void finish(std::string& out) override { out += text_; }
  std::optional<uint64_t> size() const override { return text_.size(); }

 private:
  std::string_view text_;
};

// What described the body that is no longer sent.
void remove_representation_fields(http::Fields& fields) {
  constexpr std::array kNames = {
      FieldName::accept_ranges, FieldName::content_encoding, FieldName::content_location,
      FieldName::content_range, FieldName::content_type,     FieldName::etag,
      FieldName::last_modified,
  };
  for (FieldName name : kNames) fields.remove(name);
  for (std::string_view name : {"Content-Disposition", "Content-Language", "Content-MD5",
                                "Content-Digest", "Repr-Digest", "Digest"}) {
    fields.remove(name);
  }
}

}  // namespace

std::string ErrorPages::file_of(const ErrorPagesOptions& options, const ErrorPage& page) {
  const bool slash = options.root.ends_with('/') || page.path.starts_with('/');
  return options.root + (slash || options.root.empty() ? "" : "/") + page.path;
}

std::expected<std::unique_ptr<ErrorPages>, std::string> ErrorPages::create(
    const ErrorPagesOptions& options, const FileTexts& texts, const Services& services) {
  std::unique_ptr<ErrorPages> filter(new ErrorPages(options));
  for (const ErrorPage& page : options.pages) {
    const std::string path = file_of(options, page);
    const std::string* text = texts.find(path);
    if (text == nullptr) return std::unexpected("the error page " + path + " was not read");
    filter->pages_.push_back(
        {page.first, page.last, services.media_types.by_path(page.path), *text});
  }
  return filter;
}

http::FilterOutcome ErrorPages::filter(http::Exchange& exchange) {
  exchange.add_hook(*this);
  return http::Verdict::next;
}

void ErrorPages::on_response(http::Exchange& exchange) const {
  http::Response& response = exchange.response();
  if (response.status < 400) return;
  if (exchange.upstream_status != 0 && exchange.upstream_status == response.status &&
      !options_.intercept) {
    return;
  }
  const auto page = std::ranges::find_if(pages_, [&](const Page& candidate) {
    return candidate.first <= response.status && response.status <= candidate.last;
  });
  if (page == pages_.end()) return;
  remove_representation_fields(response.fields);
  response.fields.add(FieldName::content_type, page->content_type);
  exchange.add_transform(std::make_unique<Replacement>(page->text));
}

}  // namespace handlers
