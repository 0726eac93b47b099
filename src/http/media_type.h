// Media types: by a file's extension, and what to know about one.
//
// A MediaTypes table begins with the built-in types of the web; the text of /etc/mime.types, read
// by somebody else, is laid over it. Text types carry `charset=utf-8`. A table is immutable once it
// serves; its views live as long as it does. Media types are compared without their parameters,
// ignoring case (RFC 9110 8.3.1).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace http {

class MediaTypes {
 public:
  static constexpr std::string_view kUnknown = "application/octet-stream";
  static constexpr std::size_t kExtensionSizeMax = 24;

  MediaTypes();
  MediaTypes(const MediaTypes&) = delete;
  MediaTypes& operator=(const MediaTypes&) = delete;
  MediaTypes(MediaTypes&&) = default;
  MediaTypes& operator=(MediaTypes&&) = default;

  // The format of /etc/mime.types: `type ext ext…` on each line, # begins a comment.
  void load(std::string_view mime_types);
  void set(std::string_view extension, std::string_view type);

  // Extension without its dot, in any case. kUnknown if there is none.
  std::string_view by_extension(std::string_view extension) const;
  // Of the last segment of a path.
  std::string_view by_path(std::string_view path) const;

 private:
  std::string_view intern(std::string type);

  base::StringMap<std::string_view> types_;
  base::StringSet interned_;  // a node's string keeps its address
};

// `text/html` of `text/html; charset=utf-8`, as written.
std::string_view essence(std::string_view media_type);
bool essence_is(std::string_view media_type, std::string_view expected);

// Whether compressing it is worth the time: text and what is made of text, not what is compressed
// already.
bool is_compressible(std::string_view media_type);

}  // namespace http
