// SPDX-License-Identifier: MIT
#include "kind/queue_run/queue_profile.h"

#include <algorithm>

#include "kind/queue_run/worker/activity_file.h"

namespace aaco {

Result<QueueProfile> queue_profile(const QueueRequest& request, const std::vector<QueueProcess>& unprofiled,
                                   std::vector<ProfiledQueueProcess> profiled,
                                   const std::vector<IterationRow>& iterations) {
  QueueProfile profile;
  profile.collector = request.devices.front().substr(0, request.devices.front().find(':'));
  std::vector<ActivityRun> runs;
  std::vector<QueueProcess> processes;
  for (const ProfiledQueueProcess& one : profiled) {
    AACO_ASSIGN(ActivityRun run, read_activity(request.folder, one.process.process));
    for (const IterationRow& row : iterations) {
      if (request.sync_mode == "per_iteration" && row.process == one.process.process &&
          row.phase == IterationPhase::kProfile) {
        run.round_starts_ns.push_back(row.t_start_ns);
      }
    }
    profile.records += one.records;
    profile.dropped += run.events->losses.count(Loss::kDropped);
    processes.push_back(one.process);
    runs.push_back(std::move(run));
  }
  const bool same_work = std::all_of(profiled.begin(), profiled.end(),
                                     [](const ProfiledQueueProcess& process) { return process.same_work; });
  profile.timeline = workload_timeline(runs, same_work);
  profile.overhead = profiling_overhead(unprofiled, processes, request.sync_mode != "none");
  profile.processes = std::move(profiled);
  return profile;
}

}  // namespace aaco
