// Reads one load: where errors go, and what is known only once everything was read.
//
// Passed to every type and object of the definitions. References to names (upstreams, listeners)
// are noted here and looked up at the end, so that the order of keys doesn't matter.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/diagnostics.h"
#include "config/node.h"
#include "config/source.h"
#include "http/regex.h"
#include "server/options.h"
#include "tls/options.h"

namespace config {

// A name that was used and must be an upstream's.
struct UpstreamReference {
  const Node* node = nullptr;
  std::string name;
};

// A path that is named, and what must be there for the server to start.
struct FileReference {
  enum class Kind : unsigned char { file, folder, authorities, users };
  const Node* node = nullptr;
  std::string path;
  Kind kind = Kind::file;
};

// Certificate and key, which must fit.
struct CertificateReference {
  const Node* node = nullptr;
  tls::CertificateFiles files;
};

// `{match.NAME}` in a template.
struct MatchReference {
  const Node* node = nullptr;
  std::size_t offset = 0;  // of its brace, in the node's text
  std::string name;
};

// The groups of the regular expressions that leave captures.
struct Groups {
  std::vector<std::string> names;
  std::size_t count = 0;  // with the whole match; 0: there is no expression
  bool unknown = false;   // one of them is wrong

  void add(const Groups& other);
};

class Reader {
 public:
  Reader(const Sources& sources, Diagnostics& diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  void error(const Node& node, std::string message, std::string hint = {});
  void warning(const Node& node, std::string message, std::string hint = {});
  // About a piece of a scalar's text.
  void error_within(const Node& node, std::size_t offset, std::size_t size, std::string message,
                    std::string hint = {});

  // The scalar's text; for anything else nullptr and an error that says `expected`.
  const std::string* scalar(const Node& node, std::string_view expected);

  const Source& source(const Node& node) const { return sources_[node.file]; }
  std::size_t line(const Node& node) const;
  // A path of the configuration: relative ones start from the folder of the file that names them.
  std::string resolve_path(const Node& node, std::string_view path) const;

  // Looked at by check() alone (config/files.h).
  std::vector<FileReference> files;
  std::vector<CertificateReference> certificates;

  // A path's or a rewrite's regular expression was read.
  void add_groups(const http::Regex& regex);
  // What templates take from matches, since `from` of match_references, must be among `groups`.
  void check_matches(std::size_t from, const Groups& among);
  std::vector<MatchReference> match_references;
  Groups groups;                  // of the site, or of the site and the route, that is being read
  Groups site_groups;             // of the site's own filters
  Groups routes_groups;           // of all routes of the site so far
  std::size_t route_matches = 0;  // where the route's begin in match_references
  std::size_t site_matches = 0;

  // The process's limits, from which those of listeners start.
  server::Limits limits;
  std::vector<UpstreamReference> upstream_references;
  // Groups that routes wrote in place, each once.
  std::vector<upstream::GroupOptions> inline_groups;
  std::unordered_map<std::string, std::size_t> inline_group_indexes;  // in inline_groups, by name

 private:
  const Sources& sources_;
  Diagnostics& diagnostics_;
};

}  // namespace config
