#include "handlers/listing.h"

#include <algorithm>
#include <cerrno>
#include <expected>
#include <utility>
#include <vector>

#include "handlers/field_list.h"
#include "handlers/hidden.h"
#include "handlers/listing_page.h"
#include "handlers/off_loop.h"
#include "handlers/refuse.h"
#include "http/accept.h"

namespace handlers {

namespace {

using http::FieldName;

constexpr size_t kPieceSize = 16 * 1024;

struct Reading {
  std::shared_ptr<const io::Directory> root;
  std::string directory;
  bool show_hidden = false;
  ListingOrder order;
  std::expected<std::vector<io::DirectoryEntry>, io::Error> entries;
  bool truncated = false;
  size_t directories = 0;

  void run() {
    entries = root->list(directory, kListedMax + 1);
    if (!entries) return;
    truncated = entries->size() > kListedMax;
    if (truncated) entries->resize(kListedMax);
    std::erase_if(*entries, [this](const io::DirectoryEntry& entry) {
      if (!entry.status.directory && !entry.status.regular) return true;  // would be 404 (F04)
      return !show_hidden && is_hidden_name(entry.name);
    });
    directories = static_cast<size_t>(
        std::ranges::count_if(*entries, [](auto& entry) { return entry.status.directory; }));
    sort_listing(*entries, order);
  }
};

void set_fields(http::Exchange& exchange, bool json) {
  http::Fields& fields = exchange.response().fields;
  fields.set(FieldName::content_type, json ? "application/json" : "text/html; charset=utf-8");
  fields.set(FieldName::vary, "Accept");
  fields.set(FieldName::cache_control, "no-cache");
  if (json) return;
  // Nothing of the page may act, whatever got into it.
  fields.set("Content-Security-Policy",
             "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'");
  fields.set("X-Content-Type-Options", "nosniff");
}

}  // namespace

base::Task<> send_listing(http::Exchange& exchange, const Services& services,
                          std::shared_ptr<const io::Directory> root, std::string directory,
                          bool show_hidden) {
  auto reading = std::make_unique<Reading>();
  reading->root = std::move(root);
  reading->directory = std::move(directory);
  reading->show_hidden = show_hidden;
  reading->order = ListingOrder::parse(exchange.request().query);
  reading = co_await off_loop(services.helpers, services.loop, std::move(reading),
                              [](Reading& work) { work.run(); });
  if (reading == nullptr) {
    exchange.error_detail = "too many lookups of files are waiting";
    refuse_overload(exchange);
    co_return;
  }
  if (!reading->entries) {
    const int code = reading->entries.error().code;
    exchange.respond(code == EACCES || code == EPERM ? 403 : 404);
    co_return;
  }
  const bool json = http::prefers_json(joined_value(exchange, FieldName::accept));
  set_fields(exchange, json);
  exchange.response().status = 200;
  exchange.response().body = {http::BodyKind::unknown, 0};
  exchange.start();
  if (exchange.request().method == http::Method::head) co_return exchange.finish();

  const std::vector<io::DirectoryEntry>& entries = *reading->entries;
  const std::string path =
      std::string(exchange.stripped_prefix) + std::string(exchange.request().path);
  std::string out;
  if (json) {
    append_json_head(out, path);
  } else {
    append_page_head(out, path, reading->order, reading->directories,
                     entries.size() - reading->directories);
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    json ? append_json_entry(out, entries[i], i == 0) : append_page_entry(out, entries[i]);
    if (out.size() < kPieceSize) continue;
    if (!co_await exchange.write(std::string_view(out))) co_return;
    out.clear();
  }
  json ? append_json_tail(out, reading->truncated) : append_page_tail(out, reading->truncated);
  if (!co_await exchange.write(std::string_view(out))) co_return;
  exchange.finish();
}

}  // namespace handlers
