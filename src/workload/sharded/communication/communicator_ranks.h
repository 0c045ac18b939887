// SPDX-License-Identifier: MIT
// The communicators that a sharded step names, by what they are for: each joins some of the ranks, not always all.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/sharded/sharded_config.h"

namespace aaco {

enum class CommunicatorRole : uint8_t {
  kGather,     // all-gathers of a shard group
  kReduce,     // its reduce-scatters, and the sum of norms
  kReplicate,  // all-reduces: between shard groups, or of all ranks where nothing is sharded
};

// The ranks of one communicator, ascending: a rank's place is its number there.
struct RankGroup {
  std::vector<int32_t> ranks;
  // `rank` is one of them.
  int32_t place_of(int32_t rank) const;
};

// By the communicators' numbers, those of this rank. All ranks of a training have as many, and join them in this order.
std::vector<RankGroup> communicator_ranks(const ShardedConfig& config);

// Of a communicator that the configuration has. On one communicator gathers and reductions have the same.
int32_t communicator_of(const ShardedConfig& config, CommunicatorRole role);

}  // namespace aaco
