// SPDX-License-Identifier: MIT
// From a configuration to what one rank's program is built from.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "workload/dispatch.h"
#include "workload/sharded/overlap_config.h"
#include "workload/sharded/sharded_config.h"

namespace aaco::overlap {

// Steps of the optimiser: max_steps, where the epochs' data do not end before. Errors: kUsage where they suffice for
// none.
Result<int64_t> steps_of(const OverlapConfig& config, int64_t ranks);

// Errors: kUsage of steps_of() and check_sharded_config(). What the trainer does not do is told by trainer_limits.h.
Result<ShardedConfig> sharded_config_of(const OverlapConfig& config, const RankPlace& place);

// compile.*: one graph, or one host thread that enqueues.
DispatchMode dispatch_of(const OverlapConfig& config);

}  // namespace aaco::overlap
