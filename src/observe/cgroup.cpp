// SPDX-License-Identifier: MIT
#include "observe/cgroup.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <unistd.h>

namespace aaco {

namespace {

namespace fs = std::filesystem;

// Version 1 writes "no limit" as a number just under 2^63, rounded to a page.
constexpr int64_t kNoMemoryLimit = int64_t{1} << 62;

// A mounted hierarchy and where in it this process is.
struct Hierarchy {
  bool v2 = false;
  std::vector<std::string> controllers;  // v1
  fs::path mount;
  fs::path group;  // below the mount
};

// /proc/self/mountinfo: "36 25 0:31 /root /mount options ... - type source super-options".
std::vector<Hierarchy> mounted_hierarchies(const HostFiles& host, std::vector<std::string>& mount_roots) {
  std::vector<Hierarchy> hierarchies;
  const std::string text = host.text("proc/self/mountinfo").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) {
      continue;
    }
    const auto before = split(line.substr(0, dash), ' ');
    const auto after = split(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.size() < 3 || (after[0] != "cgroup" && after[0] != "cgroup2")) {
      continue;
    }
    Hierarchy hierarchy;
    hierarchy.v2 = after[0] == "cgroup2";
    hierarchy.mount = before[4];
    for (const std::string_view option : split(after[2], ',')) {
      hierarchy.controllers.emplace_back(option);
    }
    hierarchies.push_back(std::move(hierarchy));
    mount_roots.emplace_back(before[3]);
  }
  return hierarchies;
}

bool names_controller(const Hierarchy& hierarchy, std::string_view controllers) {
  for (const std::string_view name : split(controllers, ',')) {
    if (std::find(hierarchy.controllers.begin(), hierarchy.controllers.end(), name) != hierarchy.controllers.end()) {
      return true;
    }
  }
  return false;
}

// Fills the groups from /proc/self/cgroup: "0::/user.slice" (v2) or "4:memory:/docker/abc".
void find_groups(const HostFiles& host, std::vector<Hierarchy>& hierarchies,
                 const std::vector<std::string>& mount_roots) {
  const std::string text = host.text("proc/self/cgroup").value_or("");
  for (const std::string_view line : split(text, '\n')) {
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) {
      continue;
    }
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    for (size_t i = 0; i < hierarchies.size(); ++i) {
      if (hierarchies[i].v2 != controllers.empty() ||
          (!controllers.empty() && !names_controller(hierarchies[i], controllers))) {
        continue;
      }
      // In a container the mount shows a part of the hierarchy only: the group's path may begin with that part.
      const fs::path relative = fs::path(group).lexically_relative(mount_roots[i]);
      const bool below = !relative.empty() && *relative.begin() != "..";
      hierarchies[i].group = below ? relative : fs::path(group).relative_path();
    }
  }
}

std::optional<double> quota_v2(const HostFiles& host, const fs::path& folder) {
  const std::optional<std::string> text = host.text((folder / "cpu.max").string());  // "50000 100000" or "max 100000"
  if (!text) {
    return std::nullopt;
  }
  const auto parts = split(*text, ' ');
  double quota = 0, period = 0;
  if (parts.size() != 2 || std::from_chars(parts[0].begin(), parts[0].end(), quota).ec != std::errc{} ||
      std::from_chars(parts[1].begin(), parts[1].end(), period).ec != std::errc{} || period <= 0) {
    return std::nullopt;
  }
  return quota / period;
}

std::optional<double> quota_v1(const HostFiles& host, const fs::path& folder) {
  const std::optional<int64_t> quota = host.number((folder / "cpu.cfs_quota_us").string());
  const std::optional<int64_t> period = host.number((folder / "cpu.cfs_period_us").string());
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;
  }
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

template <class T>
void tighten(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) {
    limit = other;
  }
}

void read_group(const HostFiles& host, bool v2, const fs::path& folder, CgroupLimits& limits) {
  tighten(limits.processors, cpu_quota(host, {folder, v2}));
  std::optional<int64_t> memory = host.number((folder / (v2 ? "memory.max" : "memory.limit_in_bytes")).string());
  if (memory && *memory < kNoMemoryLimit) {
    tighten(limits.memory_bytes, memory);
  }
  if (!limits.processor_set) {
    const auto set = host.text((folder / (v2 ? "cpuset.cpus.effective" : "cpuset.cpus")).string());
    if (set && !set->empty()) {
      limits.processor_set = set;
    }
  }
}

std::vector<Hierarchy> own_hierarchies(const HostFiles& host) {
  std::vector<std::string> mount_roots;
  std::vector<Hierarchy> hierarchies = mounted_hierarchies(host, mount_roots);
  find_groups(host, hierarchies, mount_roots);
  return hierarchies;
}

// From the group to the mount point: each level may limit.
std::vector<fs::path> folders_of(const Hierarchy& hierarchy) {
  std::vector<fs::path> folders;
  for (fs::path group = hierarchy.group;; group = group.parent_path()) {
    folders.push_back(group.empty() || group == "." ? hierarchy.mount : hierarchy.mount / group);
    if (group.empty() || group == ".") {
      return folders;
    }
  }
}

}  // namespace

std::vector<CgroupFolder> cpu_groups(const HostFiles& host) {
  std::vector<CgroupFolder> groups;
  for (const Hierarchy& hierarchy : own_hierarchies(host)) {
    if (hierarchy.v2 || names_controller(hierarchy, "cpu")) {
      for (fs::path& folder : folders_of(hierarchy)) {
        groups.push_back({std::move(folder), hierarchy.v2});
      }
    }
  }
  return groups;
}

std::optional<double> cpu_quota(const HostFiles& host, const CgroupFolder& group) {
  return group.v2 ? quota_v2(host, group.folder) : quota_v1(host, group.folder);
}

CgroupLimits cgroup_limits(const HostFiles& host) {
  CgroupLimits limits;
  bool v1 = false, v2 = false;
  for (const Hierarchy& hierarchy : own_hierarchies(host)) {
    (hierarchy.v2 ? v2 : v1) = true;
    for (const fs::path& folder : folders_of(hierarchy)) {
      read_group(host, hierarchy.v2, folder, limits);
    }
  }
  limits.version = v1 && v2 ? "v1 and v2" : v1 ? "v1" : v2 ? "v2" : "none";
  return limits;
}

int64_t usable_processors(const HostFiles& host) {
  const auto allowed = static_cast<int64_t>(allowed_processors().size());
  const int64_t processors = allowed > 0 ? allowed : ::sysconf(_SC_NPROCESSORS_ONLN);
  const std::optional<double> quota = cgroup_limits(host).processors;
  const double limit = quota ? std::ceil(*quota) : static_cast<double>(processors);
  return std::max<int64_t>(limit < static_cast<double>(processors) ? static_cast<int64_t>(limit) : processors, 1);
}

}  // namespace aaco
