// SPDX-License-Identifier: MIT
#include "experiment/worker_role.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/json.h"
#include "experiment/copy_overlap/copy_worker.h"
#include "experiment/overlap/overlap_worker.h"
#include "experiment/queue/queue_worker.h"
#include "experiment/ranks/rank_exchange.h"
#include "experiment/training/training_worker.h"
#include "experiment/worker_plan.h"

namespace aaco {

namespace {

constexpr std::array kRoles{
    WorkerRole{role::kInspect, inspect_role},
    WorkerRole{role::kMeasure, measure_role},
    WorkerRole{role::kProfile, profile_role},
    WorkerRole{role::kAsZero, as_zero_role},
    WorkerRole{role::kQueueCheck, queue_check_role},
    WorkerRole{role::kQueueMeasure, queue_measure_role},
    WorkerRole{role::kQueueProfile, queue_profile_role},
    WorkerRole{role::kQueueProbe, queue_probe_role},
    WorkerRole{role::kQueueRecords, queue_records_role},
    WorkerRole{role::kTrainingCheck, training_check_role},
    WorkerRole{role::kTrainingRoof, training_roof_role},
    WorkerRole{role::kTrainingMeasure, training_measure_role},
    WorkerRole{role::kTrainingParts, training_parts_role},
    WorkerRole{role::kTrainingActivity, training_activity_role},
    WorkerRole{role::kRankExchange, rank_exchange_role},
    WorkerRole{role::kOverlapCheck, overlap_check_role},
    WorkerRole{role::kOverlapMeasure, overlap_measure_role},
    WorkerRole{role::kOverlapRecord, overlap_record_role},
    WorkerRole{role::kCopyMeasure, copy_measure_role},
    WorkerRole{role::kCopyRecord, copy_record_role},
};

}  // namespace

std::span<const WorkerRole> all_worker_roles() { return kRoles; }

Result<int> run_worker(const std::filesystem::path& plan_file, const std::string& worker_role, int64_t process) {
  const auto* const found =
      std::find_if(kRoles.begin(), kRoles.end(), [&](const WorkerRole& one) { return one.name == worker_role; });
  if (found == kRoles.end()) {
    std::vector<std::string> names;
    std::transform(kRoles.begin(), kRoles.end(), std::back_inserter(names),
                   [](const WorkerRole& one) { return one.name; });
    return Error{ErrorKind::kUsage, fmt::format("worker --role {}: there is no such role", worker_role),
                 fmt::format("roles are {}", fmt::join(names, ", "))};
  }
  AACO_ASSIGN(Json plan, read_json(plan_file));
  AACO_ASSIGN(const Json result, found->work({plan_file, std::move(plan), process}));
  AACO_TRY(write_json(result_path(plan_file.parent_path(), worker_role, process), result));
  return 0;
}

}  // namespace aaco
