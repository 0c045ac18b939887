// SPDX-License-Identifier: MIT
// Gradients that are rounded to bf16 for the link.
#include <gtest/gtest.h>

#include "workload/sharded/test_ways.h"

namespace aaco {
namespace {

class ReducedInBf16 : public ::testing::TestWithParam<Way> {};
class BehindALinkInBf16 : public ::testing::TestWithParam<Way> {};

TEST_P(ReducedInBf16, TrainsWithinABoundOfItsOwn) {
  ShardedConfig config = config_of(GetParam());
  const TrainingOutcome outcome = train_on_ranks(config, 1, kSteps);
  config.reduce_dtype = Dtype::kBf16;
  for (const int32_t ranks : {2, 4}) {
    if (config.llama.sequences % (ranks * config.micro_steps) != 0) {
      continue;
    }
    const TrainingOutcome several = train_on_ranks(config, ranks, kSteps);
    const double losses = worst_difference(several.losses, outcome.losses);
    const double weights = worst_difference(several.after, outcome.after);
    EXPECT_LT(losses, kBf16LossBound) << ranks;
    EXPECT_GT(losses, kLossBound) << ranks;  // or nothing was rounded
    EXPECT_LT(weights, kBf16WeightBound) << ranks;
    EXPECT_GT(weights, kWeightBound) << ranks;
  }
}

// What came over the link has no more digits than bf16, and is near what fp32 has. Clipping changes the update, not the
// gradients. Of ways whose gradients are not added up behind the link.
TEST_P(BehindALinkInBf16, HasItsDigitsAndIsNearWhatFp32Has) {
  ShardedConfig config = config_of(GetParam());
  const int32_t ranks = config.shard_group > 0 ? 4 : 2;
  std::vector<std::vector<float>> in_fp32(static_cast<size_t>(ranks));
  const auto gradients = [](const TestRank& rank) -> Result<std::vector<float>> {
    AACO_TRY(rank.train(1));
    return rank.reader->floats(rank.training.weights.grads);
  };
  on_ranks(config, ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
    AACO_ASSIGN(in_fp32[static_cast<size_t>(number)], gradients(rank));
    return {};
  });
  config.reduce_dtype = Dtype::kBf16;
  on_ranks(config, ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
    AACO_ASSIGN(const std::vector<float> in_bf16, gradients(rank));
    const std::vector<float>& exact = in_fp32[static_cast<size_t>(number)];
    double largest = 0;
    for (const float value : exact) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    size_t rounded = 0;
    for (size_t i = 0; i < in_bf16.size(); ++i) {
      EXPECT_EQ(to_float(to_bfloat16(in_bf16[i])), in_bf16[i]);
      EXPECT_NEAR(in_bf16[i], exact[i], largest / 100);
      rounded += in_bf16[i] != exact[i] ? 1 : 0;
    }
    EXPECT_GT(rounded, in_bf16.size() / 2);
    return {};
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, ReducedInBf16,
                         ::testing::Values(way_named("fsdp"), way_named("ddp"), way_named("fsdp accumulating"),
                                           way_named("ddp accumulating"), way_named("hybrid"),
                                           way_named("hybrid accumulating and clipped"),
                                           way_named("fsdp reducing behind")),
                         [](const auto& info) { return word_of_name(info.param.name); });
INSTANTIATE_TEST_SUITE_P(Ways, BehindALinkInBf16,
                         ::testing::Values(way_named("fsdp"), way_named("fsdp clipped"), way_named("ddp"),
                                           way_named("ddp accumulating"), way_named("hybrid")),
                         [](const auto& info) { return word_of_name(info.param.name); });

}  // namespace
}  // namespace aaco
