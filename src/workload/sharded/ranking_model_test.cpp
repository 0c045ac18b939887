// SPDX-License-Identifier: MIT
#include "workload/sharded/ranking_model.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "workload/checks/hazards.h"
#include "workload/sharded/test_ranks.h"

namespace aaco {
namespace {

constexpr int64_t kSteps = 20;

ShardedConfig ranking_config() {
  ShardedConfig config;
  config.llama.shape = {.vocabulary = 50, .hidden = 16, .layers = 3, .heads = 2, .kv_heads = 2, .inner = 24};
  config.ranking = RankingShape{.embedding = 12, .dense = 20, .categories = 3};
  config.llama.sequences = 4;
  config.llama.length = 6;
  config.llama.batches = 2;
  config.llama.steps = kSteps;
  config.llama.rate = 3e-3;
  config.bucket_bytes = 20'000;
  return config;
}

// On one rank, in fp32: a step leaves the gradient of the loss that it found, and the loss itself.
class RankingGradient {
 public:
  explicit RankingGradient(TestRank& rank) : rank_(rank) { initial_ = read(rank_.training.weights.masters); }

  // Without what the step before did.
  Result<double> loss_with(int64_t element, float change) {
    AACO_TRY(run_setup(*rank_.training.instance, rank_.target));
    float* const masters = rank_.training.weights.masters.as<float>();  // memory of a CPU device
    masters[element] = initial_[static_cast<size_t>(element)] + change;
    AACO_TRY(rank_.train(1));
    return static_cast<double>(read(rank_.training.history).front());
  }
  std::vector<float> read(const Tensor& tensor) const { return *rank_.reader->floats(tensor); }

 private:
  TestRank& rank_;
  std::vector<float> initial_;
};

class EachDropout : public ::testing::TestWithParam<double> {};

// Of some elements of every parameter, by central differences: of the same step each time, so of the same masks.
TEST_P(EachDropout, LeavesTheGradientOfItsLoss) {
  ShardedConfig config = ranking_config();
  config.dropout = GetParam();
  on_ranks(config, 1, [](TestRank& rank, int32_t) -> Result<void> {
    RankingGradient difference(rank);
    AACO_ASSIGN(const double loss, difference.loss_with(0, 0));
    EXPECT_GT(loss, 0.1);
    const ShardedWeights& weights = rank.training.weights;
    const std::vector<float> gradient = difference.read(weights.grads);
    for (const NamedPlace& place : weights.named) {
      const ShardedUnit& unit = weights.units[place.unit];
      const int64_t first = unit.grad.as<float>() - weights.grads.as<float>() + place.offset;
      // The largest of the parameter, and one in its middle.
      const auto slice = gradient.begin() + first;
      const auto largest =
          std::max_element(slice, slice + place.elements, [](float a, float b) { return std::abs(a) < std::abs(b); });
      EXPECT_NE(*largest, 0) << place.name;
      for (const int64_t element : {largest - gradient.begin(), first + place.elements / 2}) {
        constexpr float kChange = 4e-3F;
        AACO_ASSIGN(const double above, difference.loss_with(element, kChange));
        AACO_ASSIGN(const double below, difference.loss_with(element, -kChange));
        const double slope = (above - below) / (2 * static_cast<double>(kChange));
        const double computed = gradient[static_cast<size_t>(element)];
        EXPECT_NEAR(computed, slope, 3e-5 + 0.02 * std::abs(slope)) << place.name << " " << element;
      }
    }
    return {};
  });
}

INSTANTIATE_TEST_SUITE_P(RankingModel, EachDropout, ::testing::Values(0.0, 0.25));

// The mask is another one in each step, also where the step was captured: with weights that stay, one batch's loss
// changes.
TEST(RankingModel, DrawsAnotherMaskInEachStep) {
  ShardedConfig config = ranking_config();
  config.llama.batches = 1;
  config.llama.rate = 1e-12;
  config.dropout = 0.2;
  std::vector<std::vector<float>> histories;
  for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kGraph}) {
    on_ranks(config, 1, [&](TestRank& rank, int32_t) -> Result<void> {
      AACO_TRY(rank.train(kSteps, mode));
      AACO_ASSIGN(histories.emplace_back(), rank.reader->floats(rank.training.history));
      return {};
    });
  }
  ASSERT_EQ(histories.size(), 2U);
  EXPECT_EQ(histories[0], histories[1]);
  std::vector<float> losses = histories[0];
  std::sort(losses.begin(), losses.end());
  EXPECT_EQ(std::unique(losses.begin(), losses.end()), losses.end());
  EXPECT_LT(losses.back() - losses.front(), 0.5);
}

// By hand: of every token weight * (softplus(s) - target * s), and the mean.
TEST(RankingModel, LossIsBinaryCrossEntropyWithWeights) {
  ShardedConfig config = ranking_config();
  config.llama.shape.layers = 1;
  config.llama.sequences = 16;
  config.llama.length = 64;
  on_ranks(config, 1, [](TestRank& rank, int32_t) -> Result<void> {
    // With a scorer of zeros every score is its bias.
    ShardedWeights& weights = rank.training.weights;
    for (const NamedPlace& place : weights.named) {
      if (place.name.starts_with("score2")) {
        float* const values = weights.units[place.unit].master.as<float>() + place.offset;
        std::fill(values, values + place.elements, place.name == "score2.bias" ? 0.7F : 0.0F);
      }
    }
    AACO_TRY(rank.train(1));
    AACO_ASSIGN(const std::vector<float> history, rank.reader->floats(rank.training.history));
    // Targets and weights are uniform in [0, 1): the mean of weight * (softplus(0.7) - target * 0.7), of 1024 tokens.
    const double expected = 0.5 * (std::log1p(std::exp(0.7)) - 0.5 * 0.7);
    EXPECT_NEAR(history.front(), expected, 0.03);
    return {};
  });
}

struct RankingWay {
  ShardedMode mode;
  int64_t micro_steps;
  double dropout;
  int32_t shard_group = 0;
  bool limits_gathers = true;
};

class EachRankingWay : public ::testing::TestWithParam<RankingWay> {};

TEST_P(EachRankingWay, TrainsAsOneRankDoesWithoutRaces) {
  ShardedConfig config = ranking_config();
  config.dropout = GetParam().dropout;
  const TrainingOutcome outcome = train_on_ranks(config, 1, kSteps);
  EXPECT_LT(outcome.losses.back(), outcome.losses.front());
  config.mode = GetParam().mode;
  config.micro_steps = GetParam().micro_steps;
  config.shard_group = GetParam().shard_group;
  config.limits_gathers = GetParam().limits_gathers;
  for (const int32_t ranks : {2, 4}) {
    if (config.llama.sequences % (ranks * config.micro_steps) != 0) {
      continue;
    }
    const TrainingOutcome several = train_on_ranks(config, ranks, kSteps);
    for (size_t i = 0; i < outcome.losses.size(); ++i) {
      EXPECT_NEAR(several.losses[i], outcome.losses[i], 5e-6) << ranks << " ranks, step " << i;
    }
    for (const auto& [name, values] : outcome.after) {
      // Softmax does not see the bias of keys: its gradient is rounding alone, which AdamW makes steps of.
      const bool keys = name.ends_with("qkv.bias");
      for (size_t i = 0; i < values.size(); ++i) {
        if (keys && i / (values.size() / 3) == 1) {
          continue;
        }
        ASSERT_NEAR(several.after.at(name)[i], values[i], 1e-4) << name << " " << i;
      }
    }
  }
  const int32_t checked = config.shard_group > 0 ? 4 : 2;
  on_ranks(config, checked, [&](TestRank& rank, int32_t) -> Result<void> {
    for (const Hazard& hazard : find_hazards(rank.training.instance->iteration, checked, 3)) {
      ADD_FAILURE() << hazard.text;
    }
    AACO_ASSIGN([[maybe_unused]] const Verification verification,
                verify(*rank.training.instance, rank.target, DispatchMode::kSingle, VerifyLimits()));
    return {};
  });
}

INSTANTIATE_TEST_SUITE_P(Ways, EachRankingWay,
                         ::testing::Values(RankingWay{ShardedMode::kFullyShard, 1, 0},
                                           RankingWay{ShardedMode::kFullyShard, 1, 0.1},
                                           RankingWay{ShardedMode::kFullyShard, 2, 0.3},
                                           RankingWay{ShardedMode::kReplicate, 1, 0.1},
                                           RankingWay{ShardedMode::kFullyShard, 1, 0, 2, false}));

}  // namespace
}  // namespace aaco
