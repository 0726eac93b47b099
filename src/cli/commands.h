// The commands, without their arguments' syntax: what each does once it knows what is wanted.
//
// Each returns the process's exit status: 0, or 1 with one clear sentence on stderr. Usage errors
// (status 2) are cli/arguments.h's.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace cli {

// Where `run` and `check` look without -c.
inline constexpr char kLocalFile[] = "webship.yaml";
inline constexpr char kSystemFile[] = "/etc/webship/webship.yaml";

// The file that is meant: `given`, or the first of the two that is there; or what to do instead.
std::expected<std::string, std::string> choose_file(const std::string& given);

int run(const std::string& file);
// `files`: also whether certificates and folders are there.
int check(const std::string& file, bool files);

struct FilesArguments {
  std::string folder = ".";
  std::vector<std::string> listen = {":8080"};
  bool browse = false;
  bool spa = false;
  bool quiet = false;
};
int files(const FilesArguments& arguments);

struct ProxyArguments {
  std::vector<std::string> from = {":8080"};
  std::vector<std::string> to;
  std::vector<std::string> tls;  // certificate and key
  bool change_host = false;
  bool insecure = false;
  bool quiet = false;
};
int proxy(const ProxyArguments& arguments);

enum class SchemaFormat : unsigned char { kJsonSchema, kReference };
int schema(SchemaFormat format);

int version();

}  // namespace cli
