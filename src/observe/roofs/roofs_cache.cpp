// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/files/cache_folder.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "observe/cgroup.h"
#include "observe/roofs/roofs.h"

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

std::filesystem::path roofs_cache_file() {
  return cache_folder() / ("roofs-" + sha256_of(roofs_device()).substr(0, kHashDigits) + ".json");
}

Result<void> store_roofs(const Roofs& roofs) {
  const std::filesystem::path path = roofs_cache_file();
  AACO_TRY(make_folders(path.parent_path()));
  std::vector<Roofs> all;
  if (Result<std::vector<Roofs>> cached = read_cache(path)) {
    all = std::move(cached).value();
  }
  std::erase_if(all, [&](const Roofs& older) { return older.threads == roofs.threads; });
  all.push_back(roofs);
  return write_json(path, Json(all));
}

std::optional<Roofs> cached_roofs(int64_t threads) {
  const Result<std::vector<Roofs>> cached = read_cache(roofs_cache_file());
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
