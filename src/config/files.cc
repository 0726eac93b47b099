#include "config/files.h"

#include <cerrno>
#include <ctime>
#include <format>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "handlers/password.h"
#include "io/file.h"
#include "io/privileges.h"
#include "tls/certificate.h"
#include "tls/files.h"

namespace config {
namespace {

using FileKind = FileReference::Kind;

class FileCheck {
 public:
  explicit FileCheck(Reader& reader) : reader_(reader) {}

  void look_at(const FileReference& reference) {
    if (!seen_.insert({reference.node, reference.path}).second) return;
    if (!there(reference)) {
      bad_.insert(reference.path);
    } else if (reference.kind == FileKind::authorities) {
      if (auto loaded = tls::load_authorities(reference.path, {}); !loaded) {
        reader_.error(*reference.node, loaded.error());
      }
    } else if (reference.kind == FileKind::users) {
      check_users(reference);
    }
  }

  void look_at(const CertificateReference& reference) {
    const auto& [certificate, key] = reference.files;
    if (bad_.contains(certificate) || bad_.contains(key)) return;  // said already
    if (!seen_.insert({reference.node, certificate}).second) return;
    std::vector<std::string> warnings;
    auto loaded = tls::Certificate::load(reference.files, std::time(nullptr), warnings);
    if (!loaded) reader_.error(*reference.node, loaded.error());
    for (std::string& warning : warnings) reader_.warning(*reference.node, std::move(warning));
  }

 private:
  bool there(const FileReference& reference) {
    const bool folder = reference.kind == FileKind::folder;
    const std::string shown = in_quotes(reference.path);
    const auto status = io::file_status(reference.path.empty() ? "." : reference.path);
    if (!status && status.error().code != EACCES) {
      reader_.error(*reference.node,
                    std::format("there is no {} {}", folder ? "folder" : "file", shown));
      return false;
    }
    if (status && status->directory != folder) {
      reader_.error(*reference.node,
                    std::format("{} is {}", shown, folder ? "not a folder" : "a folder"));
      return false;
    }
    if (io::access_advice(reference.path).empty()) return true;
    reader_.warning(*reference.node, std::format("{} can't be read by who runs this check", shown),
                    "whether the server's user can is seen when it starts");
    return false;
  }

  void check_users(const FileReference& reference) {
    const auto text = io::read_file(reference.path);
    if (!text) {
      reader_.error(*reference.node, text.error().text());
      return;
    }
    if (auto users = handlers::parse_htpasswd(*text); !users) {
      reader_.error(*reference.node,
                    std::format("{}, {}", in_quotes(reference.path), users.error()));
    }
  }

  Reader& reader_;
  // Sites' TLS is read once for each listener.
  std::set<std::pair<const Node*, std::string>> seen_;
  std::set<std::string> bad_;
};

}  // namespace

void check_files(Reader& reader) {
  FileCheck check(reader);
  for (const FileReference& reference : reader.files) check.look_at(reference);
  for (const CertificateReference& reference : reader.certificates) check.look_at(reference);
}

}  // namespace config
