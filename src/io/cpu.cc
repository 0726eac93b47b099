#include "io/cpu.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "io/file.h"

namespace io {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

unsigned affinity() {
  // More than any machine has; the call refuses a mask that is too small for the kernel.
  constexpr int kProcessorsMax = 8192;
  cpu_set_t* const set = CPU_ALLOC(kProcessorsMax);
  if (set == nullptr) return 1;
  const size_t size = CPU_ALLOC_SIZE(kProcessorsMax);
  const int count = ::sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 1;
  CPU_FREE(set);
  return static_cast<unsigned>(std::max(count, 1));
}

// `max 100000` or `150000 100000`.
double quota_v2(const std::string& folder) {
  const auto text = read_file(folder + "/cpu.max");
  if (!text) return kNone;
  double quota = 0;
  double period = 0;
  if (std::sscanf(text->c_str(), "%lf %lf", &quota, &period) != 2 || period <= 0) return kNone;
  return quota / period;
}

double quota_v1(const std::string& folder) {
  const auto quota_text = read_file(folder + "/cpu.cfs_quota_us");
  const auto period_text = read_file(folder + "/cpu.cfs_period_us");
  if (!quota_text || !period_text) return kNone;
  const double quota = std::strtod(quota_text->c_str(), nullptr);  // -1: none
  const double period = std::strtod(period_text->c_str(), nullptr);
  return quota > 0 && period > 0 ? quota / period : kNone;
}

// The least of the group and of those above it. Inside a container the path may be that of the
// host, which isn't there: then the mount itself is the group.
double least(const std::string& mount, std::string group, double (*quota)(const std::string&)) {
  double result = kNone;
  for (;;) {
    while (group.ends_with('/')) group.pop_back();
    result = std::min(result, quota(mount + group));
    if (group.empty()) return result;
    group.resize(group.rfind('/'));
  }
}

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "cpu") return true;
    controllers = comma == std::string_view::npos ? "" : controllers.substr(comma + 1);
  }
  return false;
}

}  // namespace

unsigned usable_processors(const std::string& root) {
  double quota = kNone;
  const std::string groups = read_file(root + "/proc/self/cgroup").value_or("");
  const std::string mount = root + "/sys/fs/cgroup";
  // Lines of `ID:CONTROLLERS:PATH`; version 2 has no controllers.
  for (std::string_view rest = groups; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (!path.starts_with('/')) continue;
    if (controllers.empty()) {
      quota = std::min(quota, least(mount, path, quota_v2));
    } else if (has_cpu(controllers)) {
      quota = std::min(quota, least(mount + "/cpu", path, quota_v1));
      quota = std::min(quota, least(mount + "/cpu,cpuacct", path, quota_v1));
    }
  }
  const unsigned processors = affinity();
  if (quota >= processors) return processors;
  return std::max(1U, static_cast<unsigned>(std::ceil(quota)));
}

}  // namespace io
