// SPDX-License-Identifier: MIT
// Where a sharded training stood between two steps: each rank's part in a file of its own,
// FOLDER/step_000010/rank_0.bin. A checkpoint is whole when all ranks' files are there; each is written beside its name
// and renamed, so that a process that is killed leaves the one before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

struct CheckpointPlace {
  std::filesystem::path folder;  // of one step
  int64_t step = 0;              // so many were done
};

// The newest whole one in `folder`, which may be one itself; none where there is none. Errors: kUsage where it is no
// folder.
Result<CheckpointPlace> find_checkpoint(const std::filesystem::path& folder, int64_t ranks);

// Parameters, moments, clock and losses. Errors: the disk's, the device's.
Result<void> write_checkpoint(const std::filesystem::path& folder, Device& device, const ShardedTraining& training,
                              int64_t step);

// Into a training that was set up. Errors: kUsage for a file that is damaged, or of another model, mode, number of
// ranks or rank.
Result<void> read_checkpoint(const CheckpointPlace& place, Device& device, const ShardedTraining& training);

}  // namespace aaco
