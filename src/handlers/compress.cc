#include "handlers/compress.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "handlers/field_list.h"
#include "handlers/file_lookup.h"
#include "http/media_type.h"
#include "http/status.h"
#include "http/syntax.h"

namespace handlers {

namespace {

using http::FieldName;

class Compression final : public http::BodyTransform {
 public:
  Compression(EncoderPool::Pointer encoder, bool flushing, http::Exchange& exchange)
      : encoder_(std::move(encoder)), flushing_(flushing), exchange_(exchange) {}

  void transform(std::string_view bytes, std::string& out) override {
    encode(bytes, flushing_ ? Encoder::Flush::sync : Encoder::Flush::none, out);
  }
  void finish(std::string& out) override {
    encode({}, Encoder::Flush::end, out);
    encoder_.reset();
  }

 private:
  void encode(std::string_view bytes, Encoder::Flush flush, std::string& out) {
    if (encoder_ == nullptr || encoder_->encode(bytes, flush, out)) return;
    // Out of memory in the middle of a body: the client must see that it isn't whole.
    exchange_.error_detail = "the body could not be compressed";
    exchange_.abort();
    encoder_.reset();
  }

  EncoderPool::Pointer encoder_;
  const bool flushing_;
  http::Exchange& exchange_;
};

// Stands for an encoder where no body will be sent: HEAD has the fields of GET (F08).
class Nothing final : public http::BodyTransform {
 public:
  void transform(std::string_view, std::string&) override {}
  void finish(std::string&) override {}
};

bool has_directive(const http::Fields& fields, std::string_view directive) {
  for (const http::Field& field : fields.all()) {
    if (field.id != FieldName::cache_control) continue;
    std::string_view rest = field.value;
    while (const auto element = http::next_element(rest)) {
      if (base::iequals(*element, directive)) return true;
    }
  }
  return false;
}

void add_vary(http::Fields& fields) {
  for (const http::Field& field : fields.all()) {
    if (field.id != FieldName::vary) continue;
    if (base::list_contains(field.value, "Accept-Encoding") || field.value == "*") return;
  }
  fields.add(FieldName::vary, "Accept-Encoding");
}

void weaken_etag(http::Exchange& exchange) {
  http::Fields& fields = exchange.response().fields;
  const std::string_view etag = fields.value(FieldName::etag);
  if (etag.empty() || etag.starts_with("W/")) return;
  const std::string_view weak = exchange.arena().join("W/", etag);
  if (weak.empty()) {
    fields.remove(FieldName::etag);
  } else {
    fields.set(FieldName::etag, weak);
  }
}

// Their writer means each piece to arrive when it is written.
bool is_stream_of_events(std::string_view type) {
  return http::essence_is(type, "text/event-stream") ||
         http::essence_is(type, "application/x-ndjson");
}

}  // namespace

Compress::Compress(const CompressOptions& options) : options_(options) {
  for (auto encoding : options.encodings) codings_.push_back(coding_of(encoding));
}

http::FilterOutcome Compress::filter(http::Exchange& exchange) {
  exchange.add_hook(*this);
  return http::Verdict::next;
}

bool Compress::eligible_type(std::string_view type) const {
  if (type.empty()) return false;
  if (options_.types.empty()) return http::is_compressible(type);
  const std::string_view essence = http::essence(type);
  return std::ranges::any_of(options_.types, [essence](std::string_view wanted) {
    if (wanted == "*/*" || wanted == "*") return true;
    if (!wanted.ends_with("/*")) return base::iequals(essence, wanted);
    wanted.remove_suffix(1);
    return base::iequals(essence.substr(0, wanted.size()), wanted);
  });
}

bool Compress::eligible(const http::Exchange& exchange) const {
  const http::Response& response = exchange.response();
  const http::Fields& fields = response.fields;
  if (response.status == 206 || !http::status_has_body(response.status) ||
      fields.has(FieldName::content_range) || exchange.is_tunnel()) {
    return false;
  }
  if (fields.has(FieldName::content_encoding) &&
      !base::iequals(fields.value(FieldName::content_encoding), "identity")) {
    return false;
  }
  const http::BodyLength& body = response.body;
  if (body.kind == http::BodyKind::known && body.size < options_.min_size) return false;
  if (body.kind == http::BodyKind::none && exchange.request().method != http::Method::head) {
    return false;
  }
  return eligible_type(fields.value(FieldName::content_type)) &&
         !has_directive(fields, "no-transform");
}

void Compress::on_response(http::Exchange& exchange) const {
  http::Response& response = exchange.response();
  const bool not_modified = response.status == 304;
  const bool part = response.status == 206 &&
                    eligible_type(response.fields.value(FieldName::content_type)) &&
                    !response.fields.has(FieldName::content_encoding);
  // Whoever keeps a 200 must be told the same by its 206 and 304.
  if (part) return add_vary(response.fields);
  if (!not_modified && !eligible(exchange)) return;
  add_vary(response.fields);
  const std::string_view accepted = joined_value(exchange, FieldName::accept_encoding);
  if (accepted.empty()) return;
  const http::Coding coding =
      http::AcceptedCodings::parse(accepted).choose(codings_).value_or(http::Coding::kIdentity);
  if (coding == http::Coding::kIdentity) return;
  if (not_modified) return weaken_etag(exchange);

  if (exchange.request().method == http::Method::head) {
    exchange.add_transform(std::make_unique<Nothing>());
  } else {
    const uint64_t size = response.body.kind == http::BodyKind::known ? response.body.size : 0;
    auto encoder = encoders_->take(coding, size);
    if (encoder == nullptr) return;
    const bool flushing = is_stream_of_events(response.fields.value(FieldName::content_type));
    exchange.add_transform(std::make_unique<Compression>(std::move(encoder), flushing, exchange));
  }
  response.fields.set(FieldName::content_encoding, http::coding_name(coding));
  response.fields.remove(FieldName::accept_ranges);
  // Digests of bytes that are no longer sent.
  for (std::string_view name : {"Content-MD5", "Content-Digest", "Repr-Digest", "Digest"}) {
    response.fields.remove(name);
  }
  weaken_etag(exchange);
}

}  // namespace handlers
