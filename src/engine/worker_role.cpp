// SPDX-License-Identifier: MIT
#include "engine/worker_role.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"

namespace aaco {

std::filesystem::path result_path(const std::filesystem::path& folder, const std::string& role, int64_t process) {
  return folder / fmt::format("result_{}_{}.json", role, process);
}

Result<int> run_worker(std::span<const WorkerRole> roles, const std::filesystem::path& plan_file,
                       const std::string& worker_role, int64_t process) {
  const auto role =
      std::find_if(roles.begin(), roles.end(), [&](const WorkerRole& other) { return other.name == worker_role; });
  if (role == roles.end()) {
    std::vector<std::string_view> names;
    std::transform(roles.begin(), roles.end(), std::back_inserter(names),
                   [](const WorkerRole& other) { return other.name; });
    return Error{ErrorKind::kUsage, fmt::format("worker --role {}: there is no such role", worker_role),
                 fmt::format("roles are {}", fmt::join(names, ", "))};
  }
  AACO_ASSIGN(Json plan, read_json(plan_file));
  AACO_ASSIGN(const Json result, role->work({plan_file, std::move(plan), process}));
  AACO_TRY(write_json(result_path(plan_file.parent_path(), worker_role, process), result));
  return 0;
}

}  // namespace aaco
