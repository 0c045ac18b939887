// SPDX-License-Identifier: MIT
#include "workload/training/gates/own_size_gates.h"

#include <cmath>
#include <gmock/gmock.h>

#include "workload/training/test_training.h"

namespace aaco {
namespace {

// As the preset "small" has them, of two layers: heads of 64, sequences of 256.
LlamaConfig run_config(int32_t version, Dtype dtype = Dtype::kF32) {
  LlamaConfig config = test_config(version);
  config.shape = {.vocabulary = 100, .hidden = 256, .layers = 8, .heads = 4, .kv_heads = 2, .inner = 128};
  config.precision.dtype = dtype;
  config.sequences = 8;
  config.length = 256;
  return config;
}

TEST(OwnHeads, AreTheRunsInAModelThatTheOracleCanFollow) {
  struct Case {
    int64_t hidden, heads, kv_heads, length;
    int64_t own_hidden, own_heads, own_kv_heads, own_length;
  };
  for (const Case& size : {Case{512, 8, 4, 256, 256, 4, 2, 160}, Case{1024, 8, 4, 512, 256, 2, 1, 160},
                           Case{2048, 8, 4, 1024, 512, 2, 1, 160}, Case{64, 4, 2, 32, 64, 4, 2, 32},
                           Case{64, 1, 1, 32, 64, 1, 1, 32}, Case{4096, 32, 4, 64, 256, 2, 1, 64}}) {
    LlamaConfig run;
    run.shape.hidden = size.hidden;
    run.shape.heads = size.heads;
    run.shape.kv_heads = size.kv_heads;
    run.length = size.length;
    const LlamaConfig own = own_heads_config(run);
    EXPECT_EQ(own.shape.head_dim(), run.shape.head_dim());
    EXPECT_EQ(own.shape.hidden, size.own_hidden);
    EXPECT_EQ(own.shape.heads, size.own_heads);
    EXPECT_EQ(own.shape.kv_heads, size.own_kv_heads);
    EXPECT_EQ(own.length, size.own_length);
    EXPECT_TRUE(check_llama_config(own));
  }
}

TEST(OwnStep, HasTheShapesOfTheRunOnADeviceAndFewRowsOnTheHost) {
  const LlamaConfig run = run_config(4, Dtype::kBf16);
  const LlamaConfig own = own_step_config(run, false);
  EXPECT_EQ(own.shape.layers, 2);
  EXPECT_EQ(own.tokens(), 8 * 256);
  EXPECT_EQ(own.shape.inner, run.shape.inner);
  EXPECT_EQ(own.fusions, run.fusions);
  EXPECT_EQ(own_step_config(run, true).tokens(), 160);
}

TEST(Reference, IsNeverTheSameProgram) {
  EXPECT_EQ(reference_name(reference_config(run_config(4))), "the step in fp32, one kernel per operation");
  EXPECT_EQ(reference_config(run_config(1, Dtype::kBf16)).precision.dtype, Dtype::kF32);
  EXPECT_EQ(reference_config(run_config(1, Dtype::kBf16)).fusions, LlamaFusions());
  const LlamaConfig of_first = reference_config(run_config(1));
  EXPECT_TRUE(of_first.fusions.attention);
  EXPECT_EQ(reference_name(of_first), "the fused step in fp32");
}

Result<StepValues> values_of(const LlamaConfig& config) {
  AACO_ASSIGN(const auto training, make_test_training(config));
  return values_of_steps(training.subject());
}

class EachPrecision : public ::testing::TestWithParam<std::pair<int32_t, Dtype>> {};

TEST_P(EachPrecision, PassesBothGates) {
  const auto& [version, dtype] = GetParam();
  const LlamaConfig run = run_config(version, dtype);
  const auto heads = make_test_training(own_heads_config(run));
  ASSERT_TRUE(heads) << heads.error().message;
  const auto oracles = gradients_are_the_oracles(heads->subject());
  ASSERT_TRUE(oracles) << oracles.error().message;
  EXPECT_TRUE(oracles->passed) << oracles->observed;

  const LlamaConfig own = own_step_config(run, true);
  const auto expected = values_of(reference_config(own));
  ASSERT_TRUE(expected) << expected.error().message;
  const auto training = make_test_training(own);
  const auto actual = values_of_steps(training->subject());
  ASSERT_TRUE(actual) << actual.error().message;
  const GateOutcome outcome = step_is_the_references(training->training, *actual, *expected);
  EXPECT_TRUE(outcome.passed) << outcome.observed;
}

INSTANTIATE_TEST_SUITE_P(Versions, EachPrecision,
                         ::testing::Values(std::pair{1, Dtype::kF32}, std::pair{4, Dtype::kF32},
                                           std::pair{1, Dtype::kBf16}, std::pair{4, Dtype::kBf16}));

// A kernel that heads of 64 and more take does nothing: the gradient of attention is left as it was.
Program without_large_heads(const LlamaTraining& training) {
  const auto& commands = training.instance->iteration.commands();
  return training.instance->iteration.selection([&](size_t i) {
    return commands[i].kind != CommandKind::kOp || commands[i].op != OpId::kAttentionGrad ||
           static_cast<const AttentionGradArgs*>(commands[i].to)->forward.head_dim < 64;
  });
}

TEST(OwnHeads, SeeAKernelThatIsWrongForLargeHeadsAlone) {
  const LlamaConfig run = run_config(4);
  for (const auto& [config, passes] :
       {std::pair{oracle_config(run, false), true}, std::pair{own_heads_config(run), false}}) {
    const auto training = make_test_training(config);
    ASSERT_TRUE(training) << training.error().message;
    const Program step = without_large_heads(training->training);
    const auto outcome = gradients_are_the_oracles(training->subject(step));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->passed, passes) << outcome->observed;
  }
}

TEST(OwnStep, SeesAKernelThatIsWrong) {
  const LlamaConfig own = own_step_config(run_config(4), true);
  const auto expected = values_of(reference_config(own));
  const auto training = make_test_training(own);
  const Program step = without_large_heads(training->training);
  auto actual = values_of_steps(training->subject(step));
  ASSERT_TRUE(actual) << actual.error().message;
  EXPECT_FALSE(step_is_the_references(training->training, *actual, *expected).passed);
  actual = *expected;
  EXPECT_TRUE(step_is_the_references(training->training, *actual, *expected).passed);
  actual->losses[2] *= 1.01F;
  const GateOutcome loss = step_is_the_references(training->training, *actual, *expected);
  EXPECT_FALSE(loss.passed);
  EXPECT_THAT(loss.observed, ::testing::HasSubstr("the loss of step 3"));
  actual->losses[2] = NAN;
  EXPECT_FALSE(step_is_the_references(training->training, *actual, *expected).passed);
}

}  // namespace
}  // namespace aaco
