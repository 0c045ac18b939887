// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_step.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "workload/checks/hazards.h"
#include "workload/sharded/test_ways.h"

namespace aaco {
namespace {

// The training of a single process that knows nothing of ranks, from the same weights on the whole batch.
TrainingOutcome train_alone(const LlamaConfig& config, const NamedValues& initial) {
  TrainingOutcome trained;
  const auto device = open_device("cpu:0");
  auto training = build_llama(**device, config);
  EXPECT_TRUE(training);
  const auto stream = (*device)->make_stream(0);
  const ProgramTarget target{{stream->get()}, {*device}};
  const auto reader = make_device_reader(**device);
  EXPECT_TRUE(run_setup(*training->instance, target));
  for (const NamedWeight& named : training->weights.named) {
    const std::vector<float>& values = initial.at(named.name);
    std::copy(values.begin(), values.end(), named.weight.master.as<float>());  // memory of a CPU device, fp32
  }
  const auto dispatcher = make_dispatcher(DispatchMode::kSingle, training->instance->iteration, target);
  for (int64_t i = 0; i < config.steps; ++i) {
    EXPECT_TRUE((*dispatcher)->enqueue());
  }
  EXPECT_TRUE(synchronize(target));
  const auto losses = (*reader)->floats(training->history);
  trained.losses.assign(losses->begin(), losses->end());
  const auto masters = read_masters(*training, **reader);
  for (size_t i = 0; i < masters->size(); ++i) {
    trained.after[training->weights.named[i].name] = (*masters)[i];
  }
  return trained;
}

class EachWay : public ::testing::TestWithParam<Way> {};

TEST_P(EachWay, TrainsAsOneProcessDoes) {
  const ShardedConfig config = config_of(GetParam());
  const TrainingOutcome outcome = train_on_ranks(config, 1, kSteps);
  if (GetParam().is_plain()) {
    const bool same = config.micro_steps == 1;  // else sums are taken in another order
    const TrainingOutcome alone = train_alone(config.llama, outcome.before);
    EXPECT_LE(worst_difference(outcome.losses, alone.losses), same ? 0 : kLossBound);
    EXPECT_LE(worst_difference(outcome.after, alone.after), same ? 0 : kWeightBound);
  }
  EXPECT_LT(outcome.losses.back(), 0.9 * outcome.losses.front());
  for (const int32_t ranks : {2, 4}) {
    if (config.llama.sequences % (ranks * config.micro_steps) != 0) {
      continue;
    }
    const TrainingOutcome several = train_on_ranks(config, ranks, kSteps);
    EXPECT_EQ(worst_difference(several.before, outcome.before), 0) << ranks;
    EXPECT_LT(worst_difference(several.losses, outcome.losses), kLossBound) << ranks;
    EXPECT_LT(worst_difference(several.after, outcome.after), kWeightBound) << ranks;
    EXPECT_GT(worst_difference(several.after, several.before), 1000 * kWeightBound) << ranks;
  }
}

// Every operation against the CPU's own, concurrent against serial steps bit by bit, and no races.
TEST_P(EachWay, ComputesWhatItSaysWithoutRaces) {
  const bool in_groups = config_of(GetParam()).shard_group > 0;
  for (const int32_t ranks : {1, in_groups ? 4 : 2}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      if (ranks > 1 && mode == DispatchMode::kGraph) {
        continue;  // a process captures one graph at a time: tests/ranks has a process for each
      }
      on_ranks(config_of(GetParam()), ranks, [&](TestRank& rank, int32_t) -> Result<void> {
        for (const Hazard& hazard : find_hazards(rank.training.instance->iteration, ranks, 3)) {
          ADD_FAILURE() << hazard.text;
        }
        AACO_ASSIGN(const Verification verification,
                    verify(*rank.training.instance, rank.target, mode, VerifyLimits()));
        EXPECT_EQ(verification.bitwise, ranks == 1);  // else sums of ranks, for which no order is promised
        EXPECT_EQ(verification.outputs, 3);
        return {};
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, EachWay, ::testing::ValuesIn(kWays),
                         [](const auto& info) { return word_of_name(info.param.name); });

// Of the gradients as the optimiser took them in the first step, all ranks' together: its first moments began at 0.
double norm_of_gradients(const ShardedConfig& config, int32_t ranks) {
  std::vector<double> squares(static_cast<size_t>(ranks));
  on_ranks(config, ranks, [&](TestRank& rank, int32_t number) -> Result<void> {
    AACO_TRY(rank.train(1));
    AACO_ASSIGN(const std::vector<float> moments, rank.reader->floats(rank.training.weights.first));
    for (const float moment : moments) {
      const double grad = moment / (1 - config.llama.beta1);
      squares[static_cast<size_t>(number)] += grad * grad;
    }
    return {};
  });
  double sum = 0;
  for (const double square : squares) {
    sum += square;
  }
  return std::sqrt(config.mode == ShardedMode::kReplicate ? squares.front() : sum);
}

TEST(Clipping, LeavesTheNormThatWasAskedForAndSmallerOnesAlone) {
  for (const ShardedMode mode : {ShardedMode::kFullyShard, ShardedMode::kReplicate}) {
    for (const int32_t ranks : {1, 2}) {
      ShardedConfig config = small_config();
      config.mode = mode;
      const double whole = norm_of_gradients(config, ranks);
      ASSERT_GT(whole, 0.2);
      config.clip_norm = 0.1;
      EXPECT_NEAR(norm_of_gradients(config, ranks), 0.1, 1e-6);
      config.clip_norm = 2 * whole;
      EXPECT_DOUBLE_EQ(norm_of_gradients(config, ranks), whole);
    }
  }
}

TEST(FallingRate, GrowsThenFallsLinearlyToZero) {
  ShardedConfig config = small_config();
  config.llama.warmup_steps = 4;
  config.llama.rate = 0.01;
  config.llama.weight_decay = 0.5;
  config.decay_steps = 12;
  on_ranks(config, 1, [&](TestRank& rank, int32_t) -> Result<void> {
    for (int64_t step = 1; step <= 14; ++step) {  // the clock's, of which nothing is done yet
      TrainingClock clock;
      AACO_TRY(rank.reader->bytes(&clock, rank.training.clock.data, sizeof clock));
      EXPECT_EQ(clock.step, step);
      const auto at = static_cast<double>(step);
      const double share = step <= 4 ? at / 4 : std::max(0.0, (12 - at) / 8);
      EXPECT_NEAR(clock.rate, 0.01 * share, 1e-9) << step;
      EXPECT_NEAR(clock.decay, 1 - 0.005 * share, 1e-7) << step;
      AACO_TRY(rank.train(1));
    }
    return {};
  });
}

template <class Args, class Change>
void change_first(const ShardedTraining& training, const Change& change) {
  for (const Command& command : training.instance->iteration.commands()) {
    if (command.kind == CommandKind::kOp && command.op == OpOf<Args>::kId) {
      change(*static_cast<Args*>(command.to));
      return;
    }
  }
  ADD_FAILURE() << "no such operation";
}

class BrokenShardedStep : public ::testing::Test {
 protected:
  // How far losses and parameters are from those of one rank.
  std::pair<double, double> distance(const std::function<void(ShardedTraining&)>& broken) const {
    const TrainingOutcome two = train_on_ranks(config_, 2, kSteps, broken);
    return {worst_difference(two.losses, one_.losses), worst_difference(two.after, one_.after)};
  }
  ShardedConfig config_ = config_of(kWays[0]);
  TrainingOutcome one_ = train_on_ranks(config_, 1, kSteps);
};

// One layer's update reads this rank's own gradient in place of the reduced one, as without the reduction.
TEST_F(BrokenShardedStep, WithoutOneReductionIsSeen) {
  const auto [losses, weights] = distance([](const ShardedTraining& training) {
    change_first<AdamArgs>(training, [&](AdamArgs& args) {
      const ShardedUnit& unit = training.weights.units.back();
      ASSERT_EQ(args.grad, unit.grad.as<float>());
      args.grad = unit.whole_grad.as<float>() + training.config.llama.rank * unit.grad.elements();
    });
  });
  EXPECT_GT(losses, kBf16LossBound);
  EXPECT_GT(weights, kBf16WeightBound);
}

// The sum over ranks in place of the mean: AdamW hardly sees a scale, but its epsilon does.
TEST_F(BrokenShardedStep, WithGradientsThatAreNotAveragedIsSeen) {
  config_.llama.adam_epsilon = 1e-3;
  one_ = train_on_ranks(config_, 1, kSteps);
  const auto scaled = [](float by) {
    return [by](const ShardedTraining& training) {
      change_first<CrossEntropyArgs>(training, [&](CrossEntropyArgs& args) { args.scale *= by; });
    };
  };
  const auto [losses, weights] = distance(scaled(1));
  EXPECT_LT(losses, kLossBound);
  EXPECT_LT(weights, kWeightBound);
  const auto [wrong_losses, wrong_weights] = distance(scaled(2));
  EXPECT_GT(wrong_losses, kLossBound);
  EXPECT_GT(wrong_weights, kWeightBound);
}

TEST(WatchedStep, MarksEachCollectiveWhereTheHostSeesIt) {
  for (const ShardedMode mode : {ShardedMode::kFullyShard, ShardedMode::kReplicate}) {
    ShardedConfig config = small_config();
    config.mode = mode;
    config.watched = true;
    on_ranks(config, 2, [&](TestRank& rank, int32_t) -> Result<void> {
      EXPECT_TRUE(find_hazards(rank.training.instance->iteration, 2, 1).empty());
      const auto* const words = rank.training.progress.as<ProgressWords>();
      EXPECT_EQ(words[0].begun, 0);
      AACO_TRY(rank.train(1));
      const bool shards = mode == ShardedMode::kFullyShard;
      EXPECT_EQ(words[0].begun, shards ? 7 : 1);
      EXPECT_EQ(words[0].done, shards ? 7 : 1);
      if (shards) {
        EXPECT_EQ(words[1].begun, 5);
        EXPECT_EQ(words[1].done, 5);
      }
      return {};
    });
  }
}

TEST(WatchedStep, MarksTheSumOfNorms) {
  ShardedConfig config = small_config();
  config.watched = true;
  config.clip_norm = 1;
  on_ranks(config, 2, [&](TestRank& rank, int32_t) -> Result<void> {
    AACO_TRY(rank.train(1));
    EXPECT_EQ(rank.training.progress.as<ProgressWords>()[1].done, 6);
    return {};
  });
}

TEST(ShardedConfig, RefusesWhatCannotBe) {
  ShardedConfig config = small_config();
  EXPECT_TRUE(check_sharded_config(config));
  config.prefetch = 4;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.llama.rank = 1;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.backward_prefetch = -1;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.gathers_behind_layer = true;
  config.backward_prefetch = 0;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.llama.ranks = 4;
  config.shard_group = 3;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.reduce_dtype = Dtype::kF16;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.decay_steps = 3;
  config.llama.warmup_steps = 3;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.clip_norm = -1;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.micro_steps = 0;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
  config = small_config();
  config.llama.fusions.beside = true;
  EXPECT_EQ(check_sharded_config(config).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace aaco
