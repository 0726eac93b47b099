#include "handlers/listing_page.h"

#include <algorithm>
#include <array>
#include <format>
#include <iterator>

#include "base/date.h"
#include "base/escape.h"
#include "base/text.h"
#include "http/query.h"

namespace handlers {

namespace {

using Key = ListingOrder::Key;

constexpr std::string_view kStyle = R"(<style>
:root{color-scheme:light dark;--text:#1f2328;--faint:#656d76;--line:#d8dee4;--back:#fff;
--row:#f6f8fa;--link:#0550ae}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--faint:#8d96a0;--line:#30363d;
--back:#0d1117;--row:#161b22;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.35rem;font-weight:600;margin:0 0 .25rem;overflow-wrap:anywhere}
h1 span{color:var(--faint);font-weight:400;padding:0 .15em}
p{color:var(--faint);font-size:.875rem;margin:0 0 1.25rem}
a{color:var(--link);text-decoration:none}
a:hover,a:focus-visible{text-decoration:underline}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th{text-align:left;font-size:.8125rem;font-weight:600;border-bottom:1px solid var(--line);
padding:.5rem .75rem;white-space:nowrap}
th a{color:var(--faint)}
td{padding:.4rem .75rem;border-bottom:1px solid var(--line)}
tr:hover td{background:var(--row)}
td:first-child{overflow-wrap:anywhere}
td:nth-child(n+2){white-space:nowrap;color:var(--faint);font-size:.875rem}
th:nth-child(2),td:nth-child(2){text-align:right}
svg{width:1.1em;height:1.1em;vertical-align:-.18em;margin-right:.5em;fill:none;
stroke:var(--faint);stroke-width:1.5;stroke-linejoin:round}
@media(max-width:36rem){th:nth-child(3),td:nth-child(3){display:none}}
</style>
)";

// Defined once, used by every row.
constexpr std::string_view kIcons =
    R"(<svg style="display:none"><symbol id="d" viewBox="0 0 20 20">)"
    R"(<path d="M2.5 5.5v10h15v-8h-8l-2-2z"/></symbol>)"
    R"(<symbol id="f" viewBox="0 0 20 20">)"
    R"(<path d="M5 2.5h6.5L15.5 6.500v11H5zM11.500 2.500v4h4"/>)"
    R"(</symbol></svg>
)";

std::string_view key_name(Key key) {
  switch (key) {
    case Key::name:
      return "name";
    case Key::size:
      return "size";
    case Key::modified:
      break;
  }
  return "modified";
}

// A link that stays within the directory, whatever the name.
void append_link(std::string& out, const io::DirectoryEntry& entry) {
  out += "./";
  base::append_url_component(out, entry.name);
  if (entry.status.directory) out += '/';
}

// Links to each directory above, relative: a prefix that a filter took off stays where it is.
void append_trail(std::string& out, std::string_view path) {
  const auto depth = static_cast<size_t>(std::ranges::count(path, '/')) - 1;
  auto up = [&](size_t levels) {
    out += "<a href=\"./";
    for (size_t i = 0; i < levels; ++i) out += "../";
    out += "\">";
  };
  up(depth);
  out += "Home</a><span>/</span>";
  std::string_view rest = path.substr(1);
  for (size_t level = depth; level > 0; --level) {
    const size_t slash = rest.find('/');
    if (level > 1) up(level - 1);
    base::append_html(out, rest.substr(0, slash));
    out += level > 1 ? "</a><span>/</span>" : "<span>/</span>";
    rest.remove_prefix(slash + 1);
  }
}

void append_column(std::string& out, Key key, std::string_view title, ListingOrder order) {
  const bool current = order.key == key;
  const bool next_descending = current ? !order.descending : key != Key::name;
  out += "<th scope=\"col\"";
  if (current) out += order.descending ? " aria-sort=\"descending\"" : " aria-sort=\"ascending\"";
  out += "><a href=\"?sort=";
  out += key_name(key);
  out += next_descending ? "&amp;order=desc\">" : "&amp;order=asc\">";
  out += title;
  if (current) out += order.descending ? " \xE2\x86\x93" : " \xE2\x86\x91";
  out += "</a></th>";
}

void append_count(std::string& out, size_t count, std::string_view one, std::string_view many) {
  base::append_decimal(out, count);
  out += ' ';
  out += count == 1 ? one : many;
}

bool less(const io::DirectoryEntry& a, const io::DirectoryEntry& b, Key key) {
  const io::FileStatus& x = a.status;
  const io::FileStatus& y = b.status;
  if (key == Key::size && !x.directory && x.size != y.size) return x.size < y.size;
  if (key == Key::modified) {
    if (x.modified_seconds != y.modified_seconds) return x.modified_seconds < y.modified_seconds;
    if (x.modified_nanoseconds != y.modified_nanoseconds) {
      return x.modified_nanoseconds < y.modified_nanoseconds;
    }
  }
  const auto lower = [](char p, char q) { return base::to_lower(p) <=> base::to_lower(q); };
  const auto order = std::lexicographical_compare_three_way(a.name.begin(), a.name.end(),
                                                            b.name.begin(), b.name.end(), lower);
  return order == 0 ? a.name < b.name : order < 0;
}

}  // namespace

ListingOrder ListingOrder::parse(std::string_view query) {
  ListingOrder order;
  std::string scratch;
  const std::string_view key = http::query_value(query, "sort", scratch).value_or("");
  if (key == "size") order.key = Key::size;
  if (key == "modified") order.key = Key::modified;
  order.descending = http::query_value(query, "order", scratch) == "desc";
  return order;
}

void sort_listing(std::span<io::DirectoryEntry> entries, ListingOrder order) {
  std::ranges::sort(entries, [order](const io::DirectoryEntry& a, const io::DirectoryEntry& b) {
    if (a.status.directory != b.status.directory) return a.status.directory;
    return order.descending ? less(b, a, order.key) : less(a, b, order.key);
  });
}

void append_readable_size(std::string& out, uint64_t size) {
  constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  double value = static_cast<double>(size);
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) {
    base::append_decimal(out, size);
    out += " B";
  } else {
    std::format_to(std::back_inserter(out), "{:.1f} {}", value, kUnits[unit]);
  }
}

void append_page_head(std::string& out, std::string_view path, ListingOrder order,
                      size_t directories, size_t files) {
  out +=
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>";
  base::append_html(out, path);
  out += "</title>\n";
  out += kStyle;
  out += "</head>\n<body>\n";
  out += kIcons;
  out += "<main>\n<h1>";
  append_trail(out, path);
  out += "</h1>\n<p>";
  append_count(out, directories, "directory", "directories");
  out += ", ";
  append_count(out, files, "file", "files");
  out += "</p>\n<table>\n<thead><tr>";
  append_column(out, Key::name, "Name", order);
  append_column(out, Key::size, "Size", order);
  append_column(out, Key::modified, "Modified", order);
  out += "</tr></thead>\n<tbody>\n";
  if (path.size() > 1) {
    out +=
        "<tr><td><svg><use href=\"#d\"/></svg><a href=\"../\">..</a></td><td></td><td></td></tr>\n";
  }
}

void append_page_entry(std::string& out, const io::DirectoryEntry& entry) {
  const io::FileStatus& status = entry.status;
  out += status.directory ? "<tr><td><svg><use href=\"#d\"/></svg><a href=\""
                          : "<tr><td><svg><use href=\"#f\"/></svg><a href=\"";
  append_link(out, entry);
  out += "\">";
  base::append_html(out, entry.name);
  if (status.directory) out += '/';
  out += "</a></td><td>";
  if (!status.directory) append_readable_size(out, status.size);
  const base::CivilTime time = base::civil_from_unix(status.modified_seconds);
  std::format_to(std::back_inserter(out), "</td><td>{:04}-{:02}-{:02} {:02}:{:02}</td></tr>\n",
                 time.year, time.month, time.day, time.hour, time.minute);
}

void append_page_tail(std::string& out, bool truncated) {
  out += "</tbody>\n</table>\n";
  if (truncated) out += "<p>There is more in this directory than is shown here.</p>\n";
  out += "</main>\n</body>\n</html>\n";
}

void append_json_head(std::string& out, std::string_view path) {
  out += "{\"path\":";
  base::append_json_string(out, path);
  out += ",\"entries\":[";
}

void append_json_entry(std::string& out, const io::DirectoryEntry& entry, bool first) {
  out += first ? "\n{\"name\":" : ",\n{\"name\":";
  base::append_json_string(out, entry.name);
  out += ",\"url\":\"";
  append_link(out, entry);
  if (entry.status.directory) {
    out += "\",\"type\":\"directory\"";
  } else {
    out += "\",\"type\":\"file\",\"size\":";
    base::append_decimal(out, entry.status.size);
  }
  char time[base::kRfc3339Size];
  base::write_rfc3339(
      entry.status.modified_seconds * 1000 + entry.status.modified_nanoseconds / 1'000'000, time);
  out += ",\"modified\":\"";
  out.append(time, sizeof time);
  out += "\"}";
}

void append_json_tail(std::string& out, bool truncated) {
  out += truncated ? "\n],\"truncated\":true}\n" : "\n],\"truncated\":false}\n";
}

}  // namespace handlers
