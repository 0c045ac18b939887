// SPDX-License-Identifier: MIT
// From a configuration to what one rank's program is built from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "experiment/overlap_config/overlap_config.h"
#include "workload/dispatch.h"
#include "workload/sharded/sharded_config.h"

namespace aaco::overlap {

// Steps of the optimiser: max_steps, where the epochs' data do not end before. Errors: kUsage where they suffice for
// none.
Result<int64_t> steps_of(const OverlapConfig& config, int64_t ranks);

// Errors: kUsage of steps_of() and check_sharded_config().
Result<ShardedConfig> sharded_config_of(const OverlapConfig& config, const RankPlace& place);

// "fsdp, hybrid_shard over 2 of 4 ranks", "ddp".
std::string mode_text(const OverlapConfig& config, const ShardedConfig& sharded);

// What the number of ranks makes of the configuration, where that is not what its words say.
std::vector<std::string> sharding_notes(const OverlapConfig& config, const ShardedConfig& sharded);

// compile.*: one graph, or one host thread that enqueues.
DispatchMode dispatch_of(const OverlapConfig& config);

}  // namespace aaco::overlap
