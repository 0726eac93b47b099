#include "http/media_type.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace http {
namespace {

// In the form of /etc/mime.types, for machines without one and for what its Debian edition leaves
// out. Names of types as IANA registers them.
constexpr std::string_view kBuiltIn = R"(
text/html html htm shtml
text/css css
text/javascript js mjs cjs
text/plain txt text log conf ini
text/markdown md markdown
text/csv csv
text/tab-separated-values tsv
text/calendar ics
text/vcard vcf
text/vtt vtt
text/x-c c h cc cpp hpp
text/x-python py
text/x-shellscript sh
text/x-diff diff patch
text/cache-manifest appcache
application/json json map
application/ld+json jsonld
application/geo+json geojson
application/manifest+json webmanifest
application/schema+json jsonschema
application/x-ndjson ndjson jsonl
application/xml xml xsl xsd
application/xslt+xml xslt
application/xhtml+xml xhtml xht
application/atom+xml atom
application/rss+xml rss
application/yaml yaml yml
application/toml toml
application/sql sql
application/graphql graphql
application/wasm wasm
application/pdf pdf
application/postscript ps eps ai
application/rtf rtf
application/epub+zip epub
application/msword doc dot
application/vnd.ms-excel xls
application/vnd.ms-powerpoint ppt
application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
application/vnd.oasis.opendocument.text odt
application/vnd.oasis.opendocument.spreadsheet ods
application/vnd.oasis.opendocument.presentation odp
application/vnd.android.package-archive apk
application/vnd.debian.binary-package deb udeb
application/vnd.apple.mpegurl m3u8
application/vnd.apple.installer+xml mpkg
application/vnd.ms-fontobject eot
application/dash+xml mpd
application/java-archive jar war ear
application/gzip gz
application/zip zip
application/zstd zst
application/x-7z-compressed 7z
application/x-bzip2 bz2
application/x-xz xz
application/x-tar tar
application/x-brotli br
application/vnd.rar rar
application/x-rpm rpm
application/x-iso9660-image iso
application/x-sqlite3 sqlite db
application/x-x509-ca-cert crt der
application/x-pem-file pem
application/pgp-signature asc sig
application/pgp-keys key
application/pkcs10 p10 csr
application/x-bittorrent torrent
application/octet-stream bin exe dll dmg img msi so
application/typescript ts tsx mts
text/jsx jsx
image/png png
image/jpeg jpg jpeg jpe jfif
image/gif gif
image/webp webp
image/avif avif
image/apng apng
image/svg+xml svg svgz
image/vnd.microsoft.icon ico cur
image/bmp bmp
image/tiff tif tiff
image/heic heic
image/heif heif
image/jxl jxl
image/vnd.adobe.photoshop psd
font/woff woff
font/woff2 woff2
font/ttf ttf
font/otf otf
font/collection ttc
audio/mpeg mp3 mpga
audio/mp4 m4a
audio/aac aac
audio/ogg ogg oga opus spx
audio/flac flac
audio/wav wav
audio/webm weba
audio/midi mid midi
audio/x-mpegurl m3u
video/mp4 mp4 m4v mp4v
video/webm webm
video/ogg ogv
video/mpeg mpeg mpg mpe
video/quicktime mov qt
video/x-matroska mkv
video/x-msvideo avi
video/x-flv flv
video/x-ms-wmv wmv
video/3gpp 3gp
video/mp2t m2ts
model/gltf+json gltf
model/gltf-binary glb
model/obj obj
model/stl stl
)";

// Types whose system names are old or wrong for the web, whatever /etc/mime.types says: a module
// script is refused by browsers under another type, and nobody serves .ts as a video's name.
constexpr std::string_view kKept = "js mjs cjs ts wasm ico webmanifest map";

bool kept(std::string_view extension) {
  std::string_view rest = kKept;
  while (const auto word = base::next_piece(rest, ' ')) {
    if (base::iequals(*word, extension)) return true;
  }
  return false;
}

// Types beside text/* whose charset a browser would otherwise guess.
bool takes_charset(std::string_view type) {
  return type.starts_with("text/") || base::iequals(type, "application/javascript");
}

std::string with_charset(std::string_view type) {
  std::string result(type);
  if (takes_charset(type) && !type.contains(';')) result += "; charset=utf-8";
  return result;
}

constexpr std::array<std::string_view, 24> kCompressible = {
    "application/javascript",
    "application/x-javascript",
    "application/ecmascript",
    "application/typescript",
    "application/json",
    "application/x-ndjson",
    "application/xml",
    "application/yaml",
    "application/toml",
    "application/sql",
    "application/graphql",
    "application/wasm",
    "application/rtf",
    "application/postscript",
    "application/vnd.apple.mpegurl",
    "application/vnd.ms-fontobject",
    "application/x-tar",
    "font/ttf",
    "font/otf",
    "font/collection",
    "image/bmp",
    "image/vnd.microsoft.icon",
    "image/x-icon",
    "model/obj",
};

}  // namespace

MediaTypes::MediaTypes() { load(kBuiltIn); }

std::string_view MediaTypes::intern(std::string type) {
  return *interned_.insert(std::move(type)).first;
}

void MediaTypes::load(std::string_view mime_types) {
  const bool built_in = types_.empty();
  while (auto line = base::next_piece(mime_types, '\n')) {
    std::string_view rest = line->substr(0, line->find('#'));
    std::string_view type;
    while (!rest.empty()) {
      const std::size_t begin = std::min(rest.find_first_not_of(" \t\r"), rest.size());
      rest.remove_prefix(begin);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
      rest.remove_prefix(word.size());
      if (word.empty()) break;
      if (type.empty()) {
        type = word;
      } else if (built_in || !kept(word)) {
        set(word, type);
      }
    }
  }
}

void MediaTypes::set(std::string_view extension, std::string_view type) {
  if (extension.empty() || extension.size() > kExtensionSizeMax) return;
  types_.insert_or_assign(base::lower(extension), intern(with_charset(type)));
}

std::string_view MediaTypes::by_extension(std::string_view extension) const {
  char lower[kExtensionSizeMax];
  if (extension.size() > sizeof lower) return kUnknown;
  base::write_lower(extension, lower);
  const auto found = types_.find(std::string_view(lower, extension.size()));
  return found == types_.end() ? kUnknown : found->second;
}

std::string_view MediaTypes::by_path(std::string_view path) const {
  const std::size_t dot = path.find_last_of("./");
  if (dot == std::string_view::npos || path[dot] != '.') return kUnknown;
  return by_extension(path.substr(dot + 1));
}

std::string_view essence(std::string_view media_type) {
  return base::trim(media_type.substr(0, media_type.find(';')));
}

bool essence_is(std::string_view media_type, std::string_view expected) {
  return base::iequals(essence(media_type), expected);
}

bool is_compressible(std::string_view media_type) {
  const std::string_view type = essence(media_type);
  constexpr std::size_t kTextSize = 5;
  if (base::iequals(type.substr(0, kTextSize), "text/")) return true;
  const std::size_t plus = type.rfind('+');
  if (plus != std::string_view::npos) {
    const std::string_view suffix = type.substr(plus + 1);
    return base::iequals(suffix, "json") || base::iequals(suffix, "xml") ||
           base::iequals(suffix, "yaml");
  }
  return std::ranges::any_of(kCompressible,
                             [&](std::string_view name) { return base::iequals(name, type); });
}

}  // namespace http
