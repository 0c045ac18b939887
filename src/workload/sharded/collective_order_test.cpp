// SPDX-License-Identifier: MIT
// In which order a step enqueues its collectives, which is that in which one communicator does them.
#include <algorithm>
#include <gtest/gtest.h>

#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

// Four layers, units 1 to 4; 0 is the root. Gathered ahead: one of each pass.
ShardedConfig config_of(int32_t prefetch, int32_t backward_prefetch) {
  ShardedConfig config;
  config.llama = oracle_config(LlamaConfig(), false);
  config.llama.fusions = llama_versions()[2].fusions;
  config.llama.shape.layers = 4;
  config.llama.sequences = 4;
  config.prefetch = prefetch;
  config.backward_prefetch = backward_prefetch;
  return config;
}

// "G1 R4 A4": a gather, a reduce-scatter, an all-reduce, each with its unit.
std::string text_of(const CollectiveCommand& command, const ShardedWeights& weights) {
  const CollectiveRank& rank = command.ranks.front();
  for (size_t unit = 0; unit < weights.units.size(); ++unit) {
    const std::string number = std::to_string(unit);
    if (command.collective == Collective::kAllGather && rank.send == weights.units[unit].value.data) {
      return "G" + number;
    }
    if (rank.receive == weights.units[unit].grad.data) {
      return (command.collective == Collective::kReduceScatter ? "R" : "A") + number;
    }
  }
  return "?";
}

struct CollectiveOrder {
  std::string text;
  int64_t gather_waits = 0;  // of the stream of gathers
};

CollectiveOrder order_of(const ShardedConfig& config, int32_t ranks = 2) {
  CollectiveOrder order;
  on_ranks(config, ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
    if (number > 0) {
      return {};
    }
    const Program& step = rank.training.instance->iteration;
    for (const CollectiveCommand& command : step.collectives()) {
      order.text += (order.text.empty() ? "" : " ") + text_of(command, rank.training.weights);
    }
    order.gather_waits = std::count_if(step.commands().begin(), step.commands().end(), [](const Command& command) {
      return command.kind == CommandKind::kWait && command.stream == static_cast<int32_t>(ShardedStream::kGather);
    });
    return {};
  });
  return order;
}

TEST(CollectiveOrder, AheadOfBothPassesOrOfOne) {
  EXPECT_EQ(order_of(config_of(1, 1)).text, "G2 G3 G4 R4 G2 R3 G1 R2 R1 R0 G0 G1");
  EXPECT_EQ(order_of(config_of(0, 1)).text, "G1 G2 G3 G4 R4 G2 R3 G1 R2 R1 R0 G0");
  EXPECT_EQ(order_of(config_of(1, 0)).text, "G2 G3 G4 R4 R3 G2 R2 G1 R1 R0 G0 G1");
  EXPECT_EQ(order_of(config_of(0, 0)).text, "G1 G2 G3 G4 R4 G3 R3 G2 R2 G1 R1 R0 G0");
}

// In front of the layer's reduction, which else would have to be done first on one communicator.
TEST(CollectiveOrder, BehindALayerAndInFrontOfItsReduction) {
  ShardedConfig config = config_of(0, 1);
  config.gathers_behind_layer = true;
  EXPECT_EQ(order_of(config).text, "G1 G2 G3 G4 G3 R4 G2 R3 G1 R2 R1 R0 G0");
}

TEST(CollectiveOrder, WithoutALimitAllGathersOfAPassComeFirstAndWaitOnce) {
  ShardedConfig config = config_of(1, 1);
  const CollectiveOrder limited = order_of(config);
  config.limits_gathers = false;
  const CollectiveOrder without = order_of(config);
  EXPECT_EQ(without.text, "G2 G3 G4 G2 G1 R4 R3 R2 R1 R0 G0 G1");
  EXPECT_EQ(limited.gather_waits, 3 + 2 + 2);  // of each gather: of the passes, and of the next step's first
  EXPECT_EQ(without.gather_waits, 1 + 1 + 2);
  config.llama.shape.layers = 8;
  EXPECT_EQ(order_of(config).gather_waits, without.gather_waits);
}

TEST(CollectiveOrder, ReductionsBehindTheBackwardPass) {
  ShardedConfig config = config_of(1, 1);
  config.overlaps_reduction = false;
  EXPECT_EQ(order_of(config).text, "G2 G3 G4 G2 G1 R4 R3 R2 R1 R0 G0 G1");
}

// The units as they are updated: with a prefetch, those that the next step needs first have others behind them.
std::vector<size_t> updates_of(const ShardedConfig& config) {
  std::vector<size_t> updated;
  on_ranks(config, 2, [&](TestRank& rank, int32_t number) -> Result<void> {
    for (const Command& command : rank.training.instance->iteration.commands()) {
      if (number > 0 || command.kind != CommandKind::kOp || command.op != OpOf<AdamArgs>::kId) {
        continue;
      }
      const std::vector<ShardedUnit>& units = rank.training.weights.units;
      for (size_t unit = 0; unit < units.size(); ++unit) {
        if (static_cast<const AdamArgs*>(command.to)->grad == units[unit].grad.as<float>()) {
          updated.push_back(unit);
        }
      }
    }
    return {};
  });
  return updated;
}

TEST(CollectiveOrder, WithoutPrefetchNothingIsUpdatedBesideTheRootsGather) {
  EXPECT_EQ(updates_of(config_of(0, 0)), (std::vector<size_t>{4, 3, 2, 1, 0}));
  EXPECT_EQ(updates_of(config_of(1, 0)), (std::vector<size_t>{4, 0, 1, 3, 2}));
}

// Of each unit behind its reduction within the group; of several micro-steps only of the last.
TEST(CollectiveOrder, BetweenGroups) {
  ShardedConfig config = config_of(1, 1);
  config.shard_group = 2;
  EXPECT_EQ(order_of(config, 4).text, "G2 G3 G4 R4 A4 G2 R3 A3 G1 R2 A2 R1 A1 R0 A0 G0 G1");
  config.micro_steps = 2;
  config.llama.sequences = 8;
  const std::string accumulating = order_of(config, 4).text;
  EXPECT_EQ(std::count(accumulating.begin(), accumulating.end(), 'A'), 5);
  EXPECT_LT(accumulating.find("R0"), accumulating.find('A'));
}

}  // namespace
}  // namespace aaco
