// SPDX-License-Identifier: MIT
// What the control groups of this process allow it: the tightest limit on the way up from its group to the root of what
// is mounted, for version 2 and version 1 hierarchies and mixtures of both.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "observe/host_files.h"

namespace aaco {

struct CgroupLimits {
  std::string version;                       // "v2", "v1", "v1 and v2", or "none" where no hierarchy is mounted
  std::optional<double> processors;          // quota over period; none: no limit set
  std::optional<int64_t> memory_bytes;       // none: no limit set
  std::optional<std::string> processor_set;  // as the kernel writes it, "0-3"; none: not told
};

// A group of this process that has to do with processors.
struct CgroupFolder {
  std::filesystem::path folder;
  bool v2 = false;
};

// Its own first, then those above it up to the root of what is mounted.
std::vector<CgroupFolder> cpu_groups(const HostFiles& host);

// Quota over period, in processors; none: the group has none.
std::optional<double> cpu_quota(const HostFiles& host, const CgroupFolder& group);

// What is not mounted or cannot be read is no limit.
CgroupLimits cgroup_limits(const HostFiles& host);

// How many processors this process may use: those of its affinity, cut by its groups' quota (rounded up); at least 1.
int64_t usable_processors(const HostFiles& host);

}  // namespace aaco
