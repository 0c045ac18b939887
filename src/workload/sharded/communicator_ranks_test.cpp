// SPDX-License-Identifier: MIT
#include "workload/sharded/communicator_ranks.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(CommunicatorRanks, OfGroupsAndBetweenThem) {
  ShardedConfig config;
  config.llama.ranks = 6;
  config.llama.rank = 3;
  const auto ranks_of = [&] {
    std::vector<std::vector<int32_t>> all;
    for (const RankGroup& group : communicator_ranks(config)) {
      all.push_back(group.ranks);
      EXPECT_EQ(group.ranks[static_cast<size_t>(group.place_of(3))], 3);
    }
    return all;
  };
  using Ranks = std::vector<std::vector<int32_t>>;
  EXPECT_EQ(ranks_of(), (Ranks{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}}));
  config.shard_group = 2;
  EXPECT_EQ(ranks_of(), (Ranks{{2, 3}, {2, 3}, {1, 3, 5}}));
  EXPECT_EQ(communicator_of(config, CommunicatorRole::kReplicate), 2);
  config.one_communicator = true;
  EXPECT_EQ(ranks_of(), (Ranks{{2, 3}, {1, 3, 5}}));
  EXPECT_EQ(communicator_of(config, CommunicatorRole::kGather), communicator_of(config, CommunicatorRole::kReduce));
  config.shard_group = 3;
  EXPECT_EQ(ranks_of(), (Ranks{{3, 4, 5}, {0, 3}}));
  config.shard_group = 1;
  EXPECT_EQ(ranks_of(), (Ranks{{0, 1, 2, 3, 4, 5}}));
  EXPECT_FALSE(config.shards());
}

}  // namespace
}  // namespace aaco
