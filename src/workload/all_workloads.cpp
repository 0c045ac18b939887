// SPDX-License-Identifier: MIT
#include <array>
#include <fmt/format.h>

#include "base/text/nearest_word.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

#define AACO_WORKLOAD_ADDRESS(name) &workloads::name,
constexpr std::array kWorkloads{AACO_WORKLOADS(AACO_WORKLOAD_ADDRESS)};
#undef AACO_WORKLOAD_ADDRESS

}  // namespace

std::span<const WorkloadInfo* const> all_workloads() { return kWorkloads; }

Result<const WorkloadInfo*> find_workload(std::string_view name) {
  std::vector<std::string> names;
  for (const WorkloadInfo* info : kWorkloads) {
    if (name == info->id || (*info->alias != '\0' && name == info->alias)) {
      return info;
    }
    names.emplace_back(info->id);
  }
  return Error{ErrorKind::kUsage, fmt::format("no workload is named {}", name),
               did_you_mean(name, names) + "aaco queue list shows all"};
}

}  // namespace aaco
