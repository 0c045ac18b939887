// SPDX-License-Identifier: MIT
#include "base/process/launcher.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

#include "base/text/number_text.h"

namespace aaco {

namespace {

// Variables of a launcher.
struct Launcher {
  const char* index;
  const char* count;
  const char* job;
  const char* step = nullptr;     // goes behind the job where jobs have steps
  bool known_by_its_job = false;  // others set index and count too
};

constexpr std::array kLaunchers = {
    Launcher{"AACO_SHARD", "AACO_SHARDS", "AACO_JOB"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"},
    Launcher{"PMI_RANK", "PMI_SIZE", "PMI_JOBID"},
    Launcher{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"},  // of srun, not of sbatch
    Launcher{"RANK", "WORLD_SIZE", "TORCHELASTIC_RUN_ID", nullptr, true},
};

Result<int64_t> number_in(const char* name, std::string_view text) {
  const std::optional<int64_t> number = number_of_text<int64_t>(text);
  if (!number) {
    return Error{ErrorKind::kUsage, fmt::format("{}={}: is no number", name, text), "unset it, or start by a launcher"};
  }
  return *number;
}

}  // namespace

Result<std::optional<JobShare>> job_share(const std::function<const char*(const char*)>& variable) {
  for (const Launcher& launcher : kLaunchers) {
    const char* const index = variable(launcher.index);
    const char* const count = variable(launcher.count);
    const char* const job = variable(launcher.job);
    if (index == nullptr || count == nullptr || (job == nullptr && launcher.known_by_its_job)) {
      continue;
    }
    JobShare share;
    AACO_ASSIGN(share.index, number_in(launcher.index, index));
    AACO_ASSIGN(share.count, number_in(launcher.count, count));
    if (share.index < 0 || share.index >= share.count) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}={} of {}={}: is no such process", launcher.index, index, launcher.count, count),
                   "unset them, or start by a launcher"};
    }
    if (share.count == 1) {
      return std::optional<JobShare>();
    }
    if (job == nullptr) {
      return Error{ErrorKind::kUsage, fmt::format("{} is set, but {} is not", launcher.index, launcher.job),
                   fmt::format("give all processes of the job the same name in {}", launcher.job)};
    }
    const char* const step = launcher.step == nullptr ? nullptr : variable(launcher.step);
    share.job = step == nullptr ? job : fmt::format("{}.{}", job, step);
    return std::optional(std::move(share));
  }
  return std::optional<JobShare>();
}

}  // namespace aaco
