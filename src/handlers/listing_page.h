// The texts of a directory listing, made of entries and nothing else.
//
// Pure functions that append to a string: the whole page between them. Names are bytes that
// anybody may have chosen: each lands escaped (F10).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/file.h"

namespace handlers {

struct ListingOrder {
  enum class Key : uint8_t { name, size, modified };
  Key key = Key::name;
  bool descending = false;
  bool operator==(const ListingOrder&) const = default;

  // Of a query; what isn't known is the default.
  static ListingOrder parse(std::string_view query);
};

// Directories first, always.
void sort_listing(std::span<io::DirectoryEntry> entries, ListingOrder order);

// `path` is shown: it begins and ends with a slash.
void append_page_head(std::string& out, std::string_view path, ListingOrder order,
                      size_t directories, size_t files);
void append_page_entry(std::string& out, const io::DirectoryEntry& entry);
void append_page_tail(std::string& out, bool truncated);

void append_json_head(std::string& out, std::string_view path);
void append_json_entry(std::string& out, const io::DirectoryEntry& entry, bool first);
void append_json_tail(std::string& out, bool truncated);

// "1.4 KiB"
void append_readable_size(std::string& out, uint64_t size);

}  // namespace handlers
