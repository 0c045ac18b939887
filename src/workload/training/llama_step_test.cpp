// SPDX-License-Identifier: MIT
#include "workload/training/llama_step.h"

#include <cmath>
#include <gmock/gmock.h>
#include <map>
#include <utility>

#include "workload/checks/hazards.h"
#include "workload/training/llama_counts.h"
#include "workload/training/test_training.h"

namespace aaco {
namespace {

class EachVersion : public ::testing::TestWithParam<int32_t> {};

// Every operation against the CPU's own, serial against concurrent steps bit by bit, and no races.
TEST_P(EachVersion, ComputesWhatItSays) {
  for (const bool ragged : {false, true}) {
    auto training = make_test_training(test_config(GetParam(), ragged));
    ASSERT_TRUE(training) << training.error().message;
    for (const Hazard& hazard : find_hazards(training->training.instance->iteration, 1, 3)) {
      ADD_FAILURE() << hazard.text;
    }
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      const auto verification = verify(*training->training.instance, training->target, mode, VerifyLimits());
      ASSERT_TRUE(verification) << verification.error().message;
      EXPECT_TRUE(verification->bitwise);
      EXPECT_EQ(verification->outputs, 3);
    }
  }
}

TEST_P(EachVersion, PassesTheGates) {
  for (const auto& gate : {every_parameter_has_a_gradient, gradients_are_the_oracles, losses_are_the_oracles}) {
    for (const bool ragged : {false, true}) {
      const auto training = make_test_training(test_config(GetParam(), ragged));
      ASSERT_TRUE(training) << training.error().message;
      const auto outcome = gate(training->subject());
      ASSERT_TRUE(outcome) << outcome.error().message;
      EXPECT_TRUE(outcome->passed) << outcome->observed << ", must be " << outcome->must;
    }
  }
  const auto training = make_test_training(test_config(GetParam()));
  const GateOutcome flops = backward_is_twice_forward(training->training);
  EXPECT_TRUE(flops.passed) << flops.observed;
}

TEST_P(EachVersion, PassesTheGatesWithAHeadOfItsOwn) {
  for (const auto& gate : {every_parameter_has_a_gradient, gradients_are_the_oracles, losses_are_the_oracles}) {
    LlamaConfig config = test_config(GetParam(), true);
    config.shape.tie_head = false;
    const auto training = make_test_training(config);
    ASSERT_TRUE(training) << training.error().message;
    EXPECT_EQ(training->training.weights.named.back().name, "head");
    const auto outcome = gate(training->subject());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->passed) << outcome->observed << ", must be " << outcome->must;
    for (const Hazard& hazard : find_hazards(training->training.instance->iteration, 1, 3)) {
      ADD_FAILURE() << hazard.text;
    }
  }
}

TEST_P(EachVersion, InBf16TooWithinItsTolerance) {
  LlamaConfig config = test_config(GetParam());
  config.precision.dtype = Dtype::kBf16;
  for (const auto& gate : {gradients_are_the_oracles, losses_are_the_oracles}) {
    const auto training = make_test_training(config);
    ASSERT_TRUE(training) << training.error().message;
    const auto outcome = gate(training->subject());
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_TRUE(outcome->passed) << outcome->observed << ", must be " << outcome->must;
  }
}

TEST_P(EachVersion, GivesTheSameBitsTwice) {
  std::vector<float> losses[2];
  std::vector<std::vector<float>> weights[2];
  for (size_t i = 0; i < 2; ++i) {
    const auto training = make_test_training(test_config(GetParam()));
    ASSERT_TRUE(training);
    ASSERT_TRUE(training->train(20, training->training.instance->iteration));
    losses[i] = training->losses();
    weights[i] = *read_masters(training->training, *training->reader);
  }
  EXPECT_EQ(losses[0], losses[1]);
  EXPECT_EQ(weights[0], weights[1]);
}

INSTANTIATE_TEST_SUITE_P(Versions, EachVersion, ::testing::Values(1, 2, 3, 4, kBesideVersion, kRecomputeVersion));

TEST(LlamaStep, BeginsAtTheLossOfKnowingNothing) {
  const LlamaConfig config = test_config(1);
  const auto training = make_test_training(config);
  ASSERT_TRUE(training->train(1, training->training.instance->iteration));
  // ln V and half the variance of the logits: 0.02^2 * hidden, of normed rows.
  const double expected =
      std::log(static_cast<double>(config.shape.vocabulary)) + 0.0002 * static_cast<double>(config.shape.hidden);
  EXPECT_NEAR(training->losses().front(), expected, 0.02);
}

TEST(LlamaStep, FusesWhatAVersionSays) {
  std::vector<int64_t> operations;
  for (const int32_t version : {1, 2, 3, kBesideVersion, kRecomputeVersion}) {
    operations.push_back(make_test_training(test_config(version))->training.instance->iteration.kernels());
  }
  EXPECT_GT(operations[0], operations[1]);
  EXPECT_GT(operations[1], operations[2]);
  EXPECT_EQ(operations[3], operations[2] + 3);  // an update for each of two layers, embedding and norm: 4 for 1
}

TEST(LlamaStep, LabelsEveryCommand) {
  const auto training = make_test_training(test_config(kBesideVersion));
  EXPECT_EQ(training->training.labels.size(), training->training.instance->iteration.commands().size());
}

// Of the products alone, counted from their arguments, the forward pass has what the closed form says.
TEST(LlamaStep, CountsTheProductsOfTheClosedForm) {
  LlamaConfig config = test_config(2);
  const auto training = make_test_training(config);
  double forward = 0;
  double backward = 0;
  const auto& commands = training->training.instance->iteration.commands();
  for (size_t i = 0; i < commands.size(); ++i) {
    const StepLabel& label = training->training.labels[i];
    if (commands[i].kind == CommandKind::kOp && label.part == StepPart::kProducts) {
      (label.phase == StepPhase::kForward ? forward : backward) += work_of(commands[i].op, commands[i].to).flops;
    }
  }
  const double pairs = 2.0 * 16 * 17 / 2;
  EXPECT_DOUBLE_EQ(forward, llama_model_flops(config).forward - 2 * 4 * pairs * 32);
  EXPECT_DOUBLE_EQ(backward, 2 * forward);
}

// Each module has the products of its own weights, however a version cuts them, and everything belongs to one.
TEST_P(EachVersion, ModulesHaveTheirOwnProducts) {
  const LlamaConfig config = test_config(GetParam());
  const auto training = make_test_training(config);
  ASSERT_TRUE(training) << training.error().message;
  std::map<std::pair<StepModule, StepPhase>, double> flops;
  std::map<std::pair<StepModule, StepPart>, int> operations;
  const auto& commands = training->training.instance->iteration.commands();
  for (size_t i = 0; i < commands.size(); ++i) {
    const StepLabel& label = training->training.labels[i];
    if (commands[i].kind != CommandKind::kOp) {
      continue;
    }
    operations[{label.module, label.part}] += 1;
    if (label.part == StepPart::kProducts) {
      flops[{label.module, label.phase}] += work_of(commands[i].op, commands[i].to).flops;
    }
  }
  const LlamaShape& shape = config.shape;
  const double unit = 2.0 * static_cast<double>(config.tokens() * shape.hidden);
  const auto layers = static_cast<double>(shape.layers);
  for (const auto& [module, forward] :
       {std::pair{StepModule::kAttention, layers * unit * static_cast<double>(shape.qkv_width() + shape.hidden)},
        std::pair{StepModule::kMlp, layers * unit * static_cast<double>(3 * shape.inner)},
        std::pair{StepModule::kHead, unit * static_cast<double>(shape.vocabulary)}}) {
    EXPECT_DOUBLE_EQ((flops[{module, StepPhase::kForward}]), forward) << static_cast<int>(module);
    EXPECT_DOUBLE_EQ((flops[{module, StepPhase::kBackward}]), 2 * forward) << static_cast<int>(module);
  }
  EXPECT_EQ(flops.size(), 6U) << "no products in any other module";
  EXPECT_EQ((operations.count({StepModule::kMlp, StepPart::kSwiglu})), 1U);
  EXPECT_EQ((operations.count({StepModule::kAttention, StepPart::kRotary})), 1U);
  EXPECT_EQ((operations.count({StepModule::kMlp, StepPart::kAttention})), 0U);
  EXPECT_EQ((operations[{StepModule::kNorms, StepPart::kNorms}]),
            2 * (2 * shape.layers + 1) + (config.fusions.norm ? 1 : 0));
  if (!config.fusions.norm) {
    // In front of every norm but the first, and behind the gradient of every one but the last.
    EXPECT_EQ((operations[{StepModule::kNorms, StepPart::kResidual}]), 4 * shape.layers);
  }
}

// Peaks of PyTorch's eager step that were measured, in MiB: facts of a formula that is not ours.
TEST(PytorchMemory, IsWithinHalfAPercentOfItsMeasuredPeaks) {
  struct Case {
    int64_t sequences;
    int64_t length;
    bool fused;
    double mib;
  };
  for (const Case& variant :
       {Case{4, 128, true, 764}, Case{4, 128, false, 764}, Case{4, 256, true, 967}, Case{8, 128, false, 998},
        Case{4, 256, false, 1031}, Case{4, 512, true, 1414}, Case{4, 512, false, 1669}, Case{4, 1024, true, 2302}}) {
    LlamaConfig config;
    config.sequences = variant.sequences;
    config.length = variant.length;
    config.fusions.attention = variant.fused;
    const auto peak = pytorch_peak_bytes(config);
    ASSERT_TRUE(peak);
    EXPECT_NEAR(*peak / (1 << 20), variant.mib, 0.005 * variant.mib) << variant.sequences << " x " << variant.length;
  }
  LlamaConfig other;
  other.shape.vocabulary = 32000;
  EXPECT_FALSE(pytorch_peak_bytes(other)) << "its constant is of another vocabulary";
}

// The closed form knows nothing of the buffers, nor they of it.
TEST(LlamaMemory, IsWhatTheDeviceHasAllocated) {
  for (const int32_t version : {1, 2, 3, kBesideVersion, kRecomputeVersion}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
      LlamaConfig config = test_config(version);
      config.shape = {.vocabulary = 300, .hidden = 128, .layers = 3, .heads = 4, .kv_heads = 2, .inner = 384};
      config.shape.tie_head = version != 2;
      config.sequences = 4;
      config.length = 64;
      config.steps = 50'000;  // losses kept
      config.precision.dtype = dtype;
      const auto device = open_device("cpu:0");
      ASSERT_TRUE(device);
      const int64_t before = (*device)->memory_use().allocated_bytes;
      const auto training = make_test_training(config);
      ASSERT_TRUE(training) << training.error().message;
      const int64_t allocated = (*device)->memory_use().allocated_bytes - before;
      const GateOutcome outcome = memory_is_as_computed(config, allocated);
      EXPECT_TRUE(outcome.passed) << version << " " << name_of(dtype) << ": " << outcome.observed;
      EXPECT_FALSE(memory_is_as_computed(config, allocated * 103 / 100).passed) << outcome.observed;
    }
  }
}

TEST(LlamaConfig, RefusesWhatCannotBe) {
  LlamaConfig config;
  EXPECT_TRUE(check_llama_config(config));
  config.shape.heads = 7;
  EXPECT_EQ(check_llama_config(config).error().kind, ErrorKind::kUsage);
  config = LlamaConfig();
  config.shape.kv_heads = 3;
  EXPECT_EQ(check_llama_config(config).error().kind, ErrorKind::kUsage);
  config = test_config(kRecomputeVersion);
  EXPECT_TRUE(check_llama_config(config));
  config.fusions.beside = true;
  EXPECT_EQ(check_llama_config(config).error().kind, ErrorKind::kUsage);
  config.fusions.beside = false;
  config.fusions.gate_up = false;
  EXPECT_EQ(check_llama_config(config).error().kind, ErrorKind::kUsage);
  config = LlamaConfig();
  config.length = 0;
  EXPECT_EQ(check_llama_config(config).error().kind, ErrorKind::kUsage);
}

// A version that is broken in one place, for each gate.
class BrokenStep : public ::testing::Test {
 protected:
  void SetUp() override {
    auto training = make_test_training(test_config(1));
    ASSERT_TRUE(training) << training.error().message;
    made_ = std::move(*training);
  }
  // The step without what `broken` takes.
  template <class Broken>
  Program without(const Broken& broken) {
    const auto& commands = made_.training.instance->iteration.commands();
    return made_.training.instance->iteration.selection(
        [&](size_t i) { return !broken(commands[i], made_.training.labels[i]); });
  }
  // A gate that always fails would see every broken step: this fixture's unbroken one passes it.
  template <class Gate>
  void expect_unbroken_passes(const Gate& gate) {
    const auto outcome =
        gate(made_.subject(without([](const Command& /*command*/, const StepLabel& /*label*/) { return false; })));
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_TRUE(outcome->passed) << outcome->observed << ", must be " << outcome->must;
    SetUp();
  }
  TestTraining made_;
};

// As kernels outside of automatic differentiation do: the gradient of the last norm is never passed on.
TEST_F(BrokenStep, WithoutGradientsIsSeen) {
  expect_unbroken_passes(every_parameter_has_a_gradient);
  bool seen = false;
  const Program step = without([&](const Command& command, const StepLabel& label) {
    const bool last = !seen && command.op == OpId::kNormGrad && label.phase == StepPhase::kBackward;
    seen = seen || last;
    return last;
  });
  const auto outcome = every_parameter_has_a_gradient(made_.subject(step));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->passed);
  EXPECT_THAT(outcome->observed, ::testing::HasSubstr("of 20 parameters have none"));
}

// The head's part of the tied gradient is there, the embedding's is not.
TEST_F(BrokenStep, WithHalfOfTheTiedGradientIsSeen) {
  expect_unbroken_passes(gradients_are_the_oracles);
  const Program step =
      without([](const Command& command, const StepLabel& /*label*/) { return command.op == OpId::kGatherGrad; });
  EXPECT_TRUE(every_parameter_has_a_gradient(made_.subject(step))->passed);
  SetUp();
  const Program again =
      without([](const Command& command, const StepLabel& /*label*/) { return command.op == OpId::kGatherGrad; });
  const auto outcome = gradients_are_the_oracles(made_.subject(again));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->passed);
  EXPECT_THAT(outcome->observed, ::testing::HasSubstr("of embedding"));
}

// One layer's down-projection is never updated: first losses are right, later ones are not.
TEST_F(BrokenStep, WithADeadLayerIsSeen) {
  expect_unbroken_passes(losses_are_the_oracles);
  int64_t update = 0;
  const Program step = without([&](const Command& command, const StepLabel& label) {
    return command.op == OpId::kAdam && label.layer == 1 && update++ == 8;
  });
  EXPECT_EQ(update, 9);
  const auto outcome = losses_are_the_oracles(made_.subject(step));
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->passed) << outcome->observed;
}

// What is no number in one parameter is not forgotten at the next.
TEST_F(BrokenStep, WithAGradientThatIsNoNumberIsSeen) {
  expect_unbroken_passes(gradients_are_the_oracles);
  const auto outcome = gradients_are_the_oracles({made_.training,
                                                  [&](int64_t steps) -> Result<void> {
                                                    AACO_TRY(made_.train(steps, made_.training.instance->iteration));
                                                    Program poison(1);
                                                    const Tensor& grad = made_.training.weights.layers[0].o.grad;
                                                    poison.set(0, grad.data, 0xff, sizeof(float));
                                                    return made_.train(1, poison);
                                                  },
                                                  *made_.reader});
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->passed) << outcome->observed;
}

TEST_F(BrokenStep, WithoutABackwardPassIsSeen) {
  const GateOutcome unbroken = backward_is_twice_forward(made_.training);
  ASSERT_TRUE(unbroken.passed) << unbroken.observed;
  for (StepLabel& label : made_.training.labels) {
    if (label.phase == StepPhase::kBackward && label.layer == 1) {
      label.phase = StepPhase::kOptimizer;
    }
  }
  EXPECT_FALSE(backward_is_twice_forward(made_.training).passed);
}

}  // namespace
}  // namespace aaco
