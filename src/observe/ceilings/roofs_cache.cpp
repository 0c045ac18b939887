// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "observe/ceilings/ceilings.h"
#include "observe/cgroup.h"

namespace aaco {

namespace {

constexpr size_t kHashDigits = 16;

// The cached roofs, one per number of threads, ascending. A file that was written for other processors is not ours.
Result<std::vector<Roofs>> read_cache(const std::filesystem::path& path) {
  AACO_ASSIGN(const Json json, read_json(path));
  AACO_ASSIGN(std::vector<Roofs> all, from_json_value<std::vector<Roofs>>(json, path.string()));
  std::erase_if(all, [device = roofs_device()](const Roofs& roofs) { return roofs.device != device; });
  std::sort(all.begin(), all.end(), [](const Roofs& a, const Roofs& b) { return a.threads < b.threads; });
  return all;
}

}  // namespace

std::string roofs_device(const HostFiles& host) {
  const CgroupLimits limits = cgroup_limits(host);
  return fmt::format(
      "{}, microcode {}, processors {}{}", host.field("proc/cpuinfo", "model name").value_or("unknown model"),
      host.field("proc/cpuinfo", "microcode").value_or("unknown"), format_processor_list(allowed_processors()),
      limits.processors ? fmt::format(", limited to {:g}", *limits.processors) : "");
}

Result<std::filesystem::path> roofs_cache_file() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && *cache == '/') {  // the XDG rules ignore a relative one
    folder = cache;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path(home) / ".cache";
  } else {
    return Error{ErrorKind::kUnavailable, "no folder for the cache: neither XDG_CACHE_HOME nor HOME is set",
                 "set HOME"};
  }
  return folder / "aaco" / ("roofs-" + sha256_of(roofs_device()).substr(0, kHashDigits) + ".json");
}

Result<void> store_roofs(const Roofs& roofs) {
  AACO_ASSIGN(const std::filesystem::path path, roofs_cache_file());
  AACO_TRY(make_folders(path.parent_path()));
  std::vector<Roofs> all;
  if (Result<std::vector<Roofs>> cached = read_cache(path)) {
    all = std::move(cached).value();
  }
  std::erase_if(all, [&](const Roofs& one) { return one.threads == roofs.threads; });
  all.push_back(roofs);
  return write_json(path, Json(all));
}

std::optional<Roofs> cached_roofs(int64_t threads) {
  const Result<std::filesystem::path> path = roofs_cache_file();
  if (!path) {
    return std::nullopt;
  }
  const Result<std::vector<Roofs>> cached = read_cache(*path);
  if (!cached) {
    return std::nullopt;
  }
  for (const Roofs& roofs : *cached) {
    if (roofs.threads >= threads) {
      return roofs;
    }
  }
  return std::nullopt;
}

}  // namespace aaco
