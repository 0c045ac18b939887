// SPDX-License-Identifier: MIT
// From a configuration to what one rank's program is built from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/sharded/config/sharded_run_config.h"
#include "workload/dispatch.h"
#include "workload/sharded/sharded_config.h"

namespace aaco::sharded {

// Steps of the optimiser: max_steps, where the epochs' data do not end before. Errors: kUsage where they suffice for
// none.
Result<int64_t> steps_of(const ShardedRunConfig& config, int64_t ranks);

// Errors: kUsage of steps_of() and check_sharded_config().
Result<ShardedConfig> sharded_config_of(const ShardedRunConfig& config, const RankPlace& place);

// "fsdp, hybrid_shard over 2 of 4 ranks", "ddp".
std::string mode_text(const ShardedRunConfig& config, const ShardedConfig& sharded);

// What the number of ranks makes of the configuration, where that is not what its words say.
std::vector<std::string> sharding_notes(const ShardedRunConfig& config, const ShardedConfig& sharded);

// Whether the step becomes a graph, where compile.capture leaves it open: what is not asked for changes no number that
// is trained, and takes the host's launches out of a step. A note says what was chosen for another reason than
// compile.enabled's, and why.
void choose_capture(ShardedRunConfig& config, const std::vector<std::string>& devices, std::vector<std::string>& notes);

// compile.*: one graph, or one host thread that enqueues.
DispatchMode dispatch_of(const ShardedRunConfig& config);

}  // namespace aaco::sharded
