#include "http1/serializer.h"

#include <algorithm>
#include <cstring>

#include "base/date.h"
#include "base/text.h"
#include "http/status.h"
#include "http/syntax.h"
#include "http1/framing.h"
#include "http1/scan.h"

namespace http1 {

namespace {

constexpr std::string_view kServerLine = "Server: webship\r\n";
constexpr std::string_view kLengthName = "Content-Length: ";
constexpr std::string_view kChunkedLine = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view kCloseLine = "Connection: close\r\n";
constexpr std::string_view kKeepAliveLine = "Connection: keep-alive\r\n";
constexpr std::string_view kUpgradeLine = "Connection: upgrade\r\n";
// Everything of a head that is not a field given: status line without its phrase, Server, Date, the
// longest framing line, the longest connection line, the empty line.
constexpr size_t kDateBound = 8 + base::kHttpDateSize;
constexpr size_t kFixedBound = 16 + kServerLine.size() + kDateBound + 64 + 32 + 2;

class Cursor {
 public:
  explicit Cursor(char* out) : begin_(out), at_(out) {}
  void put(std::string_view text) {
    if (text.empty()) return;  // it may have no data at all
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  void put(uint64_t number) { at_ = base::write_decimal(number, at_); }
  void put_field(std::string_view name, std::string_view value) {
    put(name);
    put(": ");
    put(value);
    put("\r\n");
  }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  char* begin_;
  char* at_;
};

bool sendable(const http::Field& field) {
  if (field.id == http::FieldName::other && !http::is_token(field.name)) return false;
  const char* begin = field.value.data();
  const char* end = begin + field.value.size();
  return skip_value(begin, begin, end) == end;
}

// What this version decides itself (RFC 9110 7.6.1).
bool is_connection_field(http::FieldName id) {
  using enum http::FieldName;
  return id == connection || id == keep_alive || id == proxy_connection ||
         id == transfer_encoding || id == content_length || id == upgrade || id == http2_settings;
}

size_t fields_bound(const http::Fields& fields) {
  size_t size = 0;
  for (const http::Field& field : fields.all()) size += field.name.size() + field.value.size() + 4;
  return size;
}

void put_status_line(Cursor& cursor, int status) {
  char line[] = "HTTP/1.1 200 ";
  line[9] = static_cast<char>('0' + status / 100 % 10);
  line[10] = static_cast<char>('0' + status / 10 % 10);
  line[11] = static_cast<char>('0' + status % 10);
  cursor.put({line, 13});
  cursor.put(http::reason_phrase(status));
  cursor.put("\r\n");
}

// Whether name and value stand in memory as they would be written.
bool stands_written(const http::Field& field) {
  const char* name_end = field.name.data() + field.name.size();
  return field.value.data() == name_end + 2 && std::memcmp(name_end, ": ", 2) == 0;
}

// Whether `field` stands in the line behind `lines`.
bool follows(std::string_view lines, const http::Field& field) {
  const char* end = lines.data() + lines.size();
  return !lines.empty() && field.name.data() == end + 2 && std::memcmp(end, "\r\n", 2) == 0;
}

// Writes the fields that `wanted` takes. Those that an origin sent mostly stand side by side as
// they are to be written: such a run is copied at once.
template <typename Wanted>
void put_fields(Cursor& cursor, const http::Fields& fields, Wanted wanted) {
  std::string_view run;  // but for the end of its last line
  auto put_run = [&] {
    if (run.empty()) return;
    cursor.put(run);
    cursor.put("\r\n");
    run = {};
  };
  for (const http::Field& field : fields.all()) {
    if (!wanted(field) || !sendable(field)) continue;
    const bool written = stands_written(field);
    if (!written || !follows(run, field)) put_run();
    if (written) {
      const char* begin = run.empty() ? field.name.data() : run.data();
      run = {begin, field.value.data() + field.value.size()};
    } else {
      cursor.put_field(field.name, field.value);
    }
  }
  put_run();
}

// Server and the fields given. An empty Server says that there is to be none.
void put_response_fields(Cursor& cursor, const http::Response& response) {
  const bool ours = response.status >= 200 && !response.fields.has(http::FieldName::server);
  if (ours) cursor.put(kServerLine);
  put_fields(cursor, response.fields, [](const http::Field& field) {
    return !is_connection_field(field.id) &&
           !(field.id == http::FieldName::server && field.value.empty());
  });
}

}  // namespace

Transfer choose_transfer(const http::Response& response, const ResponseContext& context) {
  if (context.head || !http::status_has_body(response.status)) return Transfer::none;
  switch (response.body.kind) {
    case http::BodyKind::none:
      return Transfer::none;
    case http::BodyKind::known:
      return Transfer::known;
    case http::BodyKind::unknown:
    case http::BodyKind::until_close:
      break;
  }
  return context.http10 ? Transfer::until_close : Transfer::chunked;
}

size_t response_head_bound(const http::Response& response) {
  return kFixedBound + http::reason_phrase(response.status).size() + fields_bound(response.fields);
}

std::string_view connection_line(const ResponseContext& context) {
  if (!context.keep_alive) return kCloseLine;
  return context.http10 ? kKeepAliveLine : std::string_view();
}

size_t write_response_head(char* out, const http::Response& response, Transfer transfer,
                           const ResponseContext& context) {
  Cursor cursor(out);
  put_status_line(cursor, response.status);
  put_response_fields(cursor, response);
  // A proxied response keeps the date of its origin (RFC 9110 6.6.1).
  const bool informational = response.status < 200;
  if (!informational && !response.fields.has(http::FieldName::date)) {
    cursor.put_field("Date", context.date);
  }
  if (transfer == Transfer::chunked) {
    cursor.put(kChunkedLine);
  } else if (!informational && response.status != 204) {
    // RFC 9110 8.6: for HEAD and 304, what it would have been, if that is known. Nobody answers 304
    // for something that he knows to be empty: there a zero only says that nothing follows.
    bool bodyless = context.head || response.status == 304;
    bool known = response.body.kind == http::BodyKind::known &&
                 (response.status != 304 || response.body.size > 0);
    if (known || (response.body.kind == http::BodyKind::none && !bodyless)) {
      cursor.put(kLengthName);
      cursor.put(response.body.size);
      cursor.put("\r\n");
    }
  }
  std::string_view upgrade = response.fields.value(http::FieldName::upgrade);
  if (response.status == 101) {
    cursor.put(kUpgradeLine);
    if (http::is_token(upgrade.substr(0, upgrade.find('/')))) cursor.put_field("Upgrade", upgrade);
  } else {
    // RFC 9110 15.5.22: 426 names the protocol.
    if (response.status == 426 && !upgrade.empty()) cursor.put_field("Upgrade", upgrade);
    if (!informational) cursor.put(connection_line(context));
  }
  cursor.put("\r\n");
  return cursor.size();
}

std::string encode_prepared(const http::PreparedResponse& response) {
  std::string text(response_head_bound(response.head), '\0');
  Cursor cursor(text.data());
  put_status_line(cursor, response.head.status);
  put_response_fields(cursor, response.head);
  if (http::status_has_body(response.head.status)) {
    cursor.put(kLengthName);
    cursor.put(response.body.size());
    cursor.put("\r\n");
  }
  text.resize(cursor.size());
  return text;
}

size_t request_head_bound(std::string_view method, std::string_view target,
                          const http::Fields& fields, std::string_view upgrade) {
  return kFixedBound + method.size() + target.size() + fields_bound(fields) + upgrade.size();
}

size_t write_request_head(char* out, std::string_view method, std::string_view target,
                          const http::Fields& fields, http::BodyLength body,
                          std::string_view upgrade) {
  const char* end = target.data() + target.size();
  if (target.empty() || skip_target(target.data(), target.data(), end) != end ||
      !http::is_token(method)) {
    return 0;
  }
  Cursor cursor(out);
  cursor.put(method);
  cursor.put(" ");
  cursor.put(target);
  cursor.put(" HTTP/1.1\r\n");
  put_fields(cursor, fields, [](const http::Field& field) {
    return !is_connection_field(field.id) && field.id != http::FieldName::expect;
  });
  bool expected = method == "POST" || method == "PUT" || method == "PATCH";  // RFC 9110 8.6
  if (body.kind == http::BodyKind::known || (body.kind == http::BodyKind::none && expected)) {
    cursor.put(kLengthName);
    cursor.put(body.size);
    cursor.put("\r\n");
  } else if (body.kind != http::BodyKind::none) {
    cursor.put(kChunkedLine);
  }
  if (!upgrade.empty()) {
    cursor.put(kUpgradeLine);
    cursor.put_field("Upgrade", upgrade);
  }
  cursor.put("\r\n");
  return cursor.size();
}

size_t write_chunk_head(char* out, uint64_t size) {
  int digits = 1;
  while (digits < 16 && size >> (4 * digits) != 0) ++digits;
  for (int i = 0; i < digits; ++i) {
    out[i] = base::kLowerHex[(size >> (4 * (digits - 1 - i))) & 15];
  }
  out[digits] = '\r';
  out[digits + 1] = '\n';
  return static_cast<size_t>(digits) + 2;
}

size_t trailers_bound(const http::Fields& trailers) { return 5 + fields_bound(trailers); }

size_t write_trailers(char* out, const http::Fields& trailers) {
  Cursor cursor(out);
  cursor.put("0\r\n");
  put_fields(cursor, trailers, allowed_in_trailers);
  cursor.put("\r\n");
  return cursor.size();
}

}  // namespace http1
