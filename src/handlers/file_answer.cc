#include "handlers/file_answer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/date.h"
#include "handlers/field_list.h"
#include "handlers/off_loop.h"
#include "http/accept.h"
#include "http/conditions.h"
#include "http/etag.h"
#include "http/range.h"

namespace handlers {

using http::FieldName;

struct FileAnswer::Source {
  base::Slice content;  // in memory; or
  base::FileRange range;
  bool in_memory = false;

  static Source of(const ReadyForm& form) {
    return {form.prepared.body, {form.file, 0, form.size}, form.in_memory};
  }
  uint64_t size() const { return in_memory ? content.size() : range.length; }
  Source part(http::ByteRange wanted) const {
    Source result = *this;
    if (in_memory) {
      result.content.remove_prefix(static_cast<size_t>(wanted.first));
      result.content.remove_suffix(result.content.size() - static_cast<size_t>(wanted.size()));
    } else {
      result.range.offset += wanted.first;
      result.range.length = wanted.size();
    }
    return result;
  }
};

namespace {

// Everything that describes the representation, in the plain answer and in the partial one.
void add_representation_fields(http::Fields& fields, const CachedFile& file, const ReadyForm& form,
                               std::string_view etag, std::string_view last_modified) {
  fields.add(FieldName::etag, etag);
  fields.add(FieldName::last_modified, last_modified);
  if (!file.cache_control.empty()) fields.add(FieldName::cache_control, file.cache_control);
  if (form.coding != http::Coding::kIdentity) {
    fields.add(FieldName::content_encoding, http::coding_name(form.coding));
  }
  // On 200, 206 and 304 alike (F08).
  if (file.vary) fields.add(FieldName::vary, "Accept-Encoding");
}

void prepare_form(ReadyForm& form, const io::FileStatus& status, const CachedFile& file) {
  std::string& text = form.prepared.text;
  text.reserve(http::kFileTagSizeMax + base::kHttpDateSize);
  const auto coding =
      form.coding == http::Coding::kIdentity ? std::string_view() : http::coding_name(form.coding);
  // One tag for each state of the file: the time in nanoseconds and the size.
  http::append_file_tag(text, status.modified_seconds * 1'000'000'000 + status.modified_nanoseconds,
                        status.size, coding);
  const size_t etag_size = text.size();
  text.resize(etag_size + base::kHttpDateSize);
  base::write_http_date(file.last_modified, text.data() + etag_size);
  form.etag = std::string_view(text).substr(0, etag_size);
  form.last_modified = std::string_view(text).substr(etag_size);

  http::Response& head = form.prepared.head;
  head.status = 200;
  head.body = http::BodyLength::of(form.size);
  head.fields.reserve(7);
  head.fields.add(FieldName::content_type, file.content_type);
  add_representation_fields(head.fields, file, form, form.etag, form.last_modified);
  head.fields.add(FieldName::accept_ranges, "bytes");
}

}  // namespace

void FileAnswer::prepare(CachedFile& file, FoundFile found, std::string_view cache_control) const {
  // What an entry costs besides its bytes: heads, one for each version, what is known of the file,
  // and the entry itself.
  constexpr size_t kFormOverhead = 1024;
  file.content_type = services_.media_types.by_path(found.path);
  file.known = std::move(found.known);
  file.cache_control = cache_control;
  file.vary = found.forms.size() > 1;
  file.last_modified = std::min(found.forms.front().status.modified_seconds,
                                services_.loop.unix_time());  // RFC 9110 8.8.2.1
  file.ring = CachedFile::Class::memory;
  file.cost = file.key.size() + found.path.size();
  file.forms.resize(found.forms.size());
  for (size_t i = 0; i < found.forms.size(); ++i) {
    StoredForm& stored = found.forms[i];
    ReadyForm& form = file.forms[i];
    form.coding = stored.coding;
    form.size = stored.status.size;
    form.in_memory = stored.in_memory;
    form.file = std::move(stored.file.file);
    prepare_form(form, stored.status, file);
    form.prepared.body = std::move(stored.content);
    file.cost += kFormOverhead + form.prepared.body.size();
    if (!form.in_memory) file.ring = CachedFile::Class::descriptor;
  }
}

bool FileAnswer::is_conditional(const http::Fields& fields) {
  return fields.has(FieldName::range) || fields.has(FieldName::if_none_match) ||
         fields.has(FieldName::if_modified_since) || fields.has(FieldName::if_match) ||
         fields.has(FieldName::if_unmodified_since);
}

http::Outcome FileAnswer::answer(http::Exchange& exchange, const CachedFile& file) const {
  const ReadyForm& form = file.vary ? choose(exchange, file) : file.forms.front();
  if (form.in_memory && !is_conditional(exchange.request().fields)) {
    exchange.respond(form.prepared);
    return {};
  }
  return answer_specially(exchange, file, form);
}

const ReadyForm& FileAnswer::choose(http::Exchange& exchange, const CachedFile& file) const {
  const std::string_view field = joined_value(exchange, FieldName::accept_encoding);
  if (field.empty()) return file.forms.front();
  std::array<http::Coding, http::kCodings> at_hand{};
  size_t count = 0;
  for (const ReadyForm& form : file.forms) {
    if (form.coding != http::Coding::kIdentity) at_hand[count++] = form.coding;
  }
  // Where all are refused, identity is sent all the same (RFC 9110 12.5.3).
  const http::Coding chosen = http::AcceptedCodings::parse(field)
                                  .choose({at_hand.data(), count})
                                  .value_or(http::Coding::kIdentity);
  for (const ReadyForm& form : file.forms) {
    if (form.coding == chosen) return form;
  }
  return file.forms.front();
}

http::Outcome FileAnswer::answer_specially(http::Exchange& exchange, const CachedFile& file,
                                           const ReadyForm& form) const {
  const http::Request& request = exchange.request();
  http::Response& response = exchange.response();
  const std::string_view etag = exchange.arena().copy(form.etag);
  const std::string_view last_modified = exchange.arena().copy(form.last_modified);

  http::Preconditions conditions;
  conditions.if_match = joined_value(exchange, FieldName::if_match);
  conditions.if_none_match = joined_value(exchange, FieldName::if_none_match);
  conditions.if_modified_since = request.fields.value(FieldName::if_modified_since);
  conditions.if_unmodified_since = request.fields.value(FieldName::if_unmodified_since);
  conditions.if_range = request.fields.value(FieldName::if_range);
  http::Validators validators;
  validators.etag = etag;
  validators.last_modified = file.last_modified;
  const http::ConditionVerdict verdict =
      http::evaluate(conditions, validators, true, services_.loop.unix_time());

  if (verdict == http::ConditionVerdict::kFailed) {
    exchange.respond(412);
    return {};
  }
  if (verdict == http::ConditionVerdict::kNotModified) {
    // RFC 9110 15.4.5: what guides a cache, and nothing else of the representation (F07).
    add_representation_fields(response.fields, file, form, etag, last_modified);
    response.fields.remove(FieldName::content_encoding);
    exchange.respond(304);
    return {};
  }
  response.status = 200;
  response.fields.add(FieldName::content_type, file.content_type);
  add_representation_fields(response.fields, file, form, etag, last_modified);
  response.fields.add(FieldName::accept_ranges, "bytes");
  // RFC 9110 14.2: only for GET. Two Range lines are no Range.
  if (verdict == http::ConditionVerdict::kPerform && request.method == http::Method::get &&
      request.fields.count(FieldName::range) == 1) {
    return answer_ranges(exchange, file, form, request.fields.value(FieldName::range));
  }
  return send(exchange, Source::of(form));
}

http::Outcome FileAnswer::answer_ranges(http::Exchange& exchange, const CachedFile& file,
                                        const ReadyForm& form, std::string_view field) const {
  const uint64_t size = form.size;
  const http::Ranges ranges = http::Ranges::parse(field, size, file.content_type);
  http::Response& response = exchange.response();
  switch (ranges.outcome()) {
    case http::Ranges::Outcome::kWhole:
      return send(exchange, Source::of(form));
    case http::Ranges::Outcome::kUnsatisfiable: {
      std::string text;
      http::append_unsatisfied_range(text, size);
      response.fields.remove(FieldName::content_encoding);
      response.fields.remove(FieldName::cache_control);
      response.fields.remove(FieldName::etag);
      response.fields.remove(FieldName::last_modified);
      response.fields.add(FieldName::content_range, exchange.arena().copy(text));
      exchange.respond(416);
      return {};
    }
    case http::Ranges::Outcome::kPartial:
      break;
  }
  response.status = 206;
  if (ranges.multipart()) {
    return send_parts(exchange, Source::of(form), std::string(file.content_type));
  }
  std::string text;
  http::append_content_range(text, ranges.ranges().front(), size);
  response.fields.add(FieldName::content_range, exchange.arena().copy(text));
  return send(exchange, Source::of(form).part(ranges.ranges().front()));
}

http::Outcome FileAnswer::send(http::Exchange& exchange, Source source) const {
  if (source.in_memory) {
    exchange.respond(std::move(source.content));
    return {};
  }
  exchange.response().body = http::BodyLength::of(source.range.length);
  exchange.run_hooks();
  if (exchange.transforms_body()) return stream(exchange, std::move(source));
  exchange.respond(std::move(source.range));
  return {};
}

base::Task<> FileAnswer::stream(http::Exchange& exchange, Source source) const {
  exchange.start();
  if (exchange.request().method == http::Method::head || co_await write(exchange, source)) {
    exchange.finish();
  }
}

// The ranges are parsed again: a task begins after the head was copied.
base::Task<> FileAnswer::send_parts(http::Exchange& exchange, Source whole,
                                    std::string content_type) const {
  const uint64_t size = whole.size();
  const http::Ranges ranges =
      http::Ranges::parse(exchange.request().fields.value(FieldName::range), size, content_type);
  char boundary_text[http::kBoundarySize];
  services_.random.write_id(boundary_text);
  const std::string_view boundary(boundary_text, sizeof boundary_text);
  http::Response& response = exchange.response();
  response.fields.set(FieldName::content_type,
                      exchange.arena().join("multipart/byteranges; boundary=", boundary));
  response.body = http::BodyLength::of(http::multipart_size(ranges.ranges(), size, content_type));
  exchange.start();
  std::string text;
  for (http::ByteRange range : ranges.ranges()) {
    text.clear();
    http::append_part_head(text, boundary, content_type, range, size);
    if (!co_await exchange.write(std::string_view(text))) co_return;
    if (!co_await write(exchange, whole.part(range))) co_return;
  }
  text.clear();
  http::append_multipart_tail(text, boundary);
  if (!co_await exchange.write(std::string_view(text))) co_return;
  exchange.finish();
}

// False: the client has gone, or the answer was cut.
base::Task<bool> FileAnswer::write(http::Exchange& exchange, Source source) const {
  if (source.in_memory) co_return co_await exchange.write(std::move(source.content));
  if (!exchange.transforms_body()) co_return co_await exchange.write(std::move(source.range));

  struct Chunk {
    base::FileReference file;
    uint64_t offset = 0;
    std::unique_ptr<char[]> bytes = std::make_unique_for_overwrite<char[]>(kChunkSize);
    size_t wanted = 0;
    std::expected<size_t, io::Error> got = 0;
  };
  auto chunk = std::make_unique<Chunk>();
  chunk->file = source.range.file;
  chunk->offset = source.range.offset;
  uint64_t left = source.range.length;
  while (left > 0) {
    chunk->wanted = static_cast<size_t>(std::min<uint64_t>(left, kChunkSize));
    chunk->got = io::read_at(chunk->file, chunk->offset, chunk->bytes.get(), chunk->wanted, true);
    if (!chunk->got && chunk->got.error().code == EAGAIN) {
      chunk =
          co_await off_loop(services_.helpers, services_.loop, std::move(chunk), [](Chunk& cold) {
            cold.got = io::read_at(cold.file, cold.offset, cold.bytes.get(), cold.wanted, false);
          });
      if (chunk == nullptr) {
        exchange.error_detail = "too many files are being read";
        exchange.abort();
        co_return false;
      }
    }
    if (!chunk->got || *chunk->got == 0) {  // became shorter while being sent (F09)
      exchange.error_detail = "the file became shorter while it was sent";
      exchange.abort();
      co_return false;
    }
    chunk->offset += *chunk->got;
    left -= *chunk->got;
    if (!co_await exchange.write(std::string_view(chunk->bytes.get(), *chunk->got))) {
      co_return false;
    }
  }
  co_return true;
}

}  // namespace handlers
