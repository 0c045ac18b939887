// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/communicator_ranks.h"

#include <algorithm>

namespace aaco {

namespace {

// From `first` on, every `stride`-th.
RankGroup ranks_from(int32_t first, int32_t stride, int32_t count) {
  RankGroup group;
  for (int32_t i = 0; i < count; ++i) {
    group.ranks.push_back(first + i * stride);
  }
  return group;
}

}  // namespace

int32_t RankGroup::place_of(int32_t rank) const {
  return static_cast<int32_t>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

std::vector<RankGroup> communicator_ranks(const ShardedConfig& config) {
  const auto rank = static_cast<int32_t>(config.llama.rank);
  const auto ranks = static_cast<int32_t>(config.llama.ranks);
  const int32_t shards = config.shard_ranks();
  std::vector<RankGroup> groups;
  if (config.shards()) {
    groups.resize(config.one_communicator ? 1 : 2, ranks_from(rank - rank % shards, 1, shards));
  }
  if (shards < ranks) {
    groups.push_back(ranks_from(rank % shards, shards, ranks / shards));
  }
  return groups;
}

int32_t communicator_of(const ShardedConfig& config, CommunicatorRole role) {
  const int32_t of_shards = config.shards() ? (config.one_communicator ? 1 : 2) : 0;
  switch (role) {
    case CommunicatorRole::kGather:
      return 0;
    case CommunicatorRole::kReduce:
      return of_shards - 1;
    case CommunicatorRole::kReplicate:
      return of_shards;
  }
  return 0;
}

}  // namespace aaco
