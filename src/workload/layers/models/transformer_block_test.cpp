// SPDX-License-Identifier: MIT
// Gradients of a block, and with it of every layer, against differences of the loss.
#include "workload/layers/models/transformer_block.h"

#include "workload/checks/workload_run.h"
#include "workload/layers/closeness.h"

namespace aaco {

namespace {

constexpr Parameter kParameters[]{{"relu", "0", ""}, {"causal", "0", ""}, {"passes", "1", ""}, kDtypeParameter};

// loss = sum of out * out_grad; 2 sequences of 3 tokens of 8 columns, 2 heads, 12 columns inside.
Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const int64_t relu, builder.parameters().integer("relu", 0, 1));
  AACO_ASSIGN(const int64_t causal, builder.parameters().integer("causal", 0, 1));
  AACO_ASSIGN(const int64_t passes, builder.parameters().integer("passes", 1, 9));
  AACO_ASSIGN(const Precision precision, builder.parameters().precision());
  TransformerBlock block;
  const WeightBucket bucket = WeightBucket::make(builder, precision, 0.5, 0, [&](WeightBucket& taken_from) {
    block = take_transformer_block(taken_from, 8, 2, 12, causal == 1);
    block.mlp.activation = relu == 1 ? UnaryOp::kRelu : UnaryOp::kGelu;
  });
  const Tensor in = builder.random(precision.dtype, {6, 8}, -1, 1);
  const Tensor out_grad = builder.random(precision.dtype, {6, 8}, -1, 1);
  const TransformerBlockState state = make_block_state(builder, precision, block, 2, 3);
  const TransformerBlockGrads grads = make_block_grads(builder, precision, block, 2, 3);
  Program& program = builder.iteration();
  block_forward(program, 0, block, in, state, precision);
  block_backward(program, 0, block, in, state, out_grad, grads, precision);
  for (int64_t pass = 0; pass < passes; ++pass) {
    block_weight_grads(program, 0, block, state, out_grad, grads, precision, pass > 0);
  }
  builder.output("in", in);
  builder.output("out", state.out());
  builder.output("out_grad", out_grad);
  builder.output("in_grad", grads.in);
  builder.output("weights", bucket.masters());
  builder.output("weight_grads", bucket.grads());
  return {};
}

const WorkloadInfo kBlock{.id = "block",
                          .alias = "",
                          .priority = "",
                          .category = "",
                          .unit = "",
                          .summary = "",
                          .about = "",
                          .recommended_streams = 1,
                          .switch_sensitivity = "",
                          .parameters = kParameters,
                          .test_parameters = {},
                          .build = build};

class Differences {
 public:
  explicit Differences(WorkloadRun& run) : run_(run) {
    expect_ok(run_setup(*run.instance, run.target));
    auto dispatcher = make_dispatcher(DispatchMode::kSingle, run.instance->iteration, run.target);
    EXPECT_TRUE(dispatcher);
    dispatcher_ = std::move(*dispatcher);
  }

  double loss() {
    expect_ok(dispatcher_->enqueue());
    expect_ok(synchronize(run_.target));
    const std::vector<float> out = run_.output("out");
    const std::vector<float> out_grad = run_.output("out_grad");
    double sum = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      sum += static_cast<double>(out[i]) * static_cast<double>(out_grad[i]);
    }
    return sum;
  }

  // Of the loss by every `stride`th element of the output `name`; what is there stays.
  std::vector<float> by(const std::string& name, size_t stride, float step = 1e-2F) {
    std::vector<float> gradients;
    const size_t elements = run_.output(name).size();
    for (size_t i = 0; i < elements; i += stride) {
      float* value = data(name) + i;
      const float kept = *value;
      *value = kept + step;
      const double above = loss();
      *value = kept - step;
      const double below = loss();
      *value = kept;
      gradients.push_back(static_cast<float>((above - below) / (2.0 * static_cast<double>(step))));
    }
    loss();
    return gradients;
  }

 private:
  float* data(const std::string& name) {
    for (const WorkloadOutput& output : run_.instance->outputs) {
      if (output.name == name) {
        return output.tensor.as<float>();
      }
    }
    return nullptr;
  }

  WorkloadRun& run_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

std::vector<float> every(const std::vector<float>& values, size_t stride) {
  std::vector<float> some;
  for (size_t i = 0; i < values.size(); i += stride) {
    some.push_back(values[i]);
  }
  return some;
}

TEST(TransformerBlockTest, GradientsAreDifferencesOfTheLoss) {
  for (const char* causal : {"0", "1"}) {
    auto run = make_workload_run(kBlock, 1, 1, 1, {{"causal", causal}});
    ASSERT_TRUE(run) << run.error().message;
    Differences differences(*run);
    // Second differences of step 1e-2 leave about 1e-4, rounding 1e-6 / 1e-2.
    const std::vector<float> by_in = differences.by("in", 1);
    EXPECT_LT(relative_difference(run->output("in_grad"), by_in), 5e-3);
    const std::vector<float> by_weights = differences.by("weights", 3);
    EXPECT_LT(relative_difference(every(run->output("weight_grads"), 3), by_weights), 5e-3);
  }
}

// With relu differences cross its bend now and then, the less often the shorter they are.
TEST(TransformerBlockTest, GradientsThroughReluAreDifferencesOfTheLoss) {
  auto run = make_workload_run(kBlock, 1, 1, 1, {{"relu", "1"}});
  ASSERT_TRUE(run) << run.error().message;
  Differences differences(*run);
  const std::vector<float> by_in = differences.by("in", 1, 1e-3F);
  EXPECT_LT(relative_difference(run->output("in_grad"), by_in), 5e-2);
  const std::vector<float> by_weights = differences.by("weights", 3, 1e-3F);
  EXPECT_LT(relative_difference(every(run->output("weight_grads"), 3), by_weights), 5e-2);
}

TEST(TransformerBlockTest, WeightGradientsAddUp) {
  auto once = make_workload_run(kBlock, 1);
  auto thrice = make_workload_run(kBlock, 1, 1, 1, {{"passes", "3"}});
  ASSERT_TRUE(once && thrice);
  Differences(*once).loss();
  Differences(*thrice).loss();
  std::vector<float> expected = once->output("weight_grads");
  for (float& value : expected) {
    value *= 3;
  }
  EXPECT_LT(relative_difference(thrice->output("weight_grads"), expected), 1e-6);
}

TEST(TransformerBlockTest, NarrowTypesComeCloseToFp32) {
  auto wide = make_workload_run(kBlock, 1);
  ASSERT_TRUE(wide) << wide.error().message;
  Differences(*wide).loss();
  for (const char* dtype : {"bf16", "fp16"}) {
    auto narrow = make_workload_run(kBlock, 1, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(narrow) << narrow.error().message;
    Differences(*narrow).loss();
    EXPECT_LT(relative_difference(narrow->output("weight_grads"), wide->output("weight_grads")), 4e-2) << dtype;
    EXPECT_GT(relative_difference(narrow->output("weight_grads"), wide->output("weight_grads")), 1e-5) << dtype;
  }
}

}  // namespace

}  // namespace aaco
