// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "workload/workload_list.h"

namespace aaco {

namespace {

#define AACO_WORKLOAD_ADDRESS(name) &workloads::name,
constexpr std::array kWorkloads{AACO_WORKLOADS(AACO_WORKLOAD_ADDRESS)};
#undef AACO_WORKLOAD_ADDRESS

// Edits (Levenshtein) from one to the other.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::span<const WorkloadInfo* const> all_workloads() { return kWorkloads; }

Result<const WorkloadInfo*> find_workload(std::string_view name) {
  const WorkloadInfo* nearest = kWorkloads.front();
  for (const WorkloadInfo* info : kWorkloads) {
    if (name == info->id || (*info->alias != '\0' && name == info->alias)) {
      return info;
    }
    nearest = distance(name, info->id) < distance(name, nearest->id) ? info : nearest;
  }
  return Error{ErrorKind::kUsage, fmt::format("no workload is named {}", name),
               fmt::format("did you mean {}? aaco queue list shows all", nearest->id)};
}

}  // namespace aaco
