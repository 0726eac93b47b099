// From a path beneath the root to the file that answers for it: the part that touches the disk.
//
// Index files, clean URLs, slashes of directories and precompressed siblings are decided here, by
// opening; nothing here knows of HTTP messages. Runs in the loop with `warm_only` (then it may say
// would_block) or on a helper thread. Every open is io::Directory's: no spelling and no link leads
// out of the root (F01, F04), and so is every look at what may have changed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"
#include "handlers/options.h"
#include "http/accept.h"
#include "io/file.h"

namespace handlers {

struct LookupRules {
  std::vector<std::string> index;
  bool clean_urls = false;
  std::vector<Encoding> precompressed;
  uint64_t content_size_max = 0;  // files up to this size are read
};

// One stored form of a file: itself, or a precompressed sibling.
struct StoredForm {
  http::Coding coding = http::Coding::kIdentity;
  io::FileStatus status;
  io::OpenFile file;    // where the content was not read
  base::Slice content;  // where it was
  bool in_memory = false;
};

// What a lookup found, kept to be compared: what has not changed is neither opened nor read again.
struct KnownFile {
  struct Form {
    http::Coding coding = http::Coding::kIdentity;
    io::FileStatus status;
    bool settled = false;  // or else a change may not show in its status
    bool operator==(const Form&) const = default;
  };
  std::string path;
  std::vector<Form> forms;
  // Where `folder_tells`: as long as the folder of all names that were tried looks like this, those
  // that were not there are still not there, and no other file answers.
  bool folder_tells = false;
  std::string folder;
  io::FileStatus folder_status;
};

struct FoundFile {
  enum class Kind : uint8_t {
    file,
    directory,    // and no index file in it
    add_slash,    // a directory asked for without its slash
    drop_suffix,  // clean URLs: /about.html is /about, /index.html is /
    missing,
    forbidden,    // permission denied
    would_block,  // ask again on a helper thread
    failed,       // out of descriptors, I/O error: not to be remembered
  };
  Kind kind = Kind::missing;
  bool unchanged = false;         // as `known` says; `forms` is empty
  std::string path;               // kind file: beneath the root, without leading slash
  std::vector<StoredForm> forms;  // kind file: itself first, then siblings in order of preference
  std::shared_ptr<const KnownFile> known;  // kind file: for the next time
  int error = 0;                           // kind failed: errno
};

// `path` begins with a slash and is decoded. `known` may be nullptr, for what was never found or
// is not trusted; the first time that a file is found again, proof is gathered for look_again().
FoundFile look_up(const io::Directory& root, const LookupRules& rules, std::string_view path,
                  bool warm_only, const KnownFile* known);

// Whether all is as `known` (whose folder_tells) says: then it was proved by the status of each of
// its forms alone. `folder` is what its folder looks like now.
enum class Again : uint8_t { same, changed, would_block };
Again look_again(const io::Directory& root, bool warm_only, const KnownFile& known,
                 const io::FileStatus& folder);

http::Coding coding_of(Encoding encoding);

}  // namespace handlers
