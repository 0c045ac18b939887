// SPDX-License-Identifier: MIT
// A training that torchrun, mpirun or srun started as one process per rank of one node: the process of rank 0 trains,
// with a process of its own per rank as it does without a launcher, and the others wait for how it ends.
#pragma once

#include <functional>
#include <optional>

#include "base/result.h"
#include "workload/sharded/overlap_config.h"

namespace aaco {

// From this process's environment. Errors: those of overlap::rank_place(); kUnavailable for several nodes.
Result<std::optional<overlap::RankPlace>> launched_rank();

// What `train` gives, on rank 0 or where nothing launched this process. Other ranks give rank 0's exit code. Errors:
// kResource where rank 0 does not begin within a minute, or ended and left nothing.
Result<int> as_launched(const std::optional<overlap::RankPlace>& place, const std::function<Result<int>()>& train);

}  // namespace aaco
