// SPDX-License-Identifier: MIT
#include "workload/sharded/communication/communicator_ranks.h"

#include <gtest/gtest.h>

#include "workload/sharded/test_ways.h"

namespace aaco {
namespace {

// All groups end with the same bits, each rank with those of its place.
TEST(HybridShards, AreTheSameInEveryGroup) {
  ShardedConfig config = small_config();
  config.shard_group = 2;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
    config.reduce_dtype = dtype;
    std::vector<std::vector<float>> parts(4);
    on_ranks(config, 4, [&](TestRank& rank, int32_t number) -> Result<void> {
      EXPECT_EQ(rank.training.weights.units.back().elements, 2 * rank.training.weights.units.back().first.elements());
      AACO_TRY(rank.train(10));
      AACO_ASSIGN(parts[static_cast<size_t>(number)], rank.reader->floats(rank.training.weights.masters));
      return {};
    });
    EXPECT_EQ(parts[0], parts[2]);
    EXPECT_EQ(parts[1], parts[3]);
    EXPECT_NE(parts[0], parts[1]);
  }
}

TEST(CommunicatorRanks, OfGroupsAndBetweenThem) {
  ShardedConfig config = small_config();
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
