// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "workload/pipeline/offloaded_weights.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"num_layers", "4", "layers: a product, ReLU, a product"},
    {"layer_size", "4096", "rows and columns of each weight"},
    {"batch_size", "16", "samples"},
    {"window", "3", "weights, and gradients, that the device has room for at a time"},
    {"chunks", "4", "parts of a weight that cross the link one by one; more where there are streams for more"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"num_layers", "2", ""}, {"layer_size", "24", ""}, {"batch_size", "3", ""}};
constexpr Parameter kCpuParameters[]{{"layer_size", "384", ""}};

// The loss sums over a layer's columns: with a rate that does not shrink as they grow, the weights of wide layers would
// leave every bound after a few iterations.
float rate_of(const OffloadedWeights& weights) { return 0.64F / static_cast<float>(weights.weight(0).master.cols()); }

struct Activations {
  std::vector<Tensor> inputs;  // of each weight; the network's output behind them
  std::vector<Tensor> grads;   // of each weight's output, then of the ReLU's input where there is one
};

bool has_relu(size_t weight) { return weight % 2 == 0; }

void run_forward(WorkloadBuilder& builder, OffloadedWeights& weights, const Activations& activations,
                 Precision precision) {
  for (size_t i = 0; i < weights.count(); ++i) {
    const Tensor& out = activations.inputs[i + 1];
    const Tensor weight = weights.fetch(static_cast<int64_t>(i));
    builder.iteration().op(weights.compute_stream(), matmul(activations.inputs[i], weight, out, precision));
    weights.fetched_is_used();
    if (has_relu(i)) {
      UnaryArgs relu{out.data, out.data, out.elements(), UnaryOp::kRelu};
      relu.in_dtype = out.dtype;
      relu.out_dtype = out.dtype;
      builder.iteration().op(weights.compute_stream(), relu);
    }
  }
}

// Of the loss |output|^2 / (2 batch): the gradient of the output is itself over the batch.
void run_backward(WorkloadBuilder& builder, OffloadedWeights& weights, const Activations& activations,
                  Precision precision) {
  Program& program = builder.iteration();
  const int32_t stream = weights.compute_stream();
  const Tensor& output = activations.inputs.back();
  UnaryArgs loss{output.data, activations.grads.back().data, output.elements(), UnaryOp::kScaleShift};
  loss.a = 1 / static_cast<float>(output.rows());
  loss.in_dtype = output.dtype;
  loss.out_dtype = output.dtype;
  program.op(stream, loss);
  for (size_t i = weights.count(); i-- > 0;) {
    const Tensor& out_grad = activations.grads[i];
    const Tensor& in = activations.inputs[i];
    if (has_relu(i)) {
      UnaryGradArgs relu{activations.inputs[i + 1].data, out_grad.data, out_grad.data, out_grad.elements()};
      relu.dtype = out_grad.dtype;
      program.op(stream, relu);
    }
    if (i > 0) {
      const Tensor weight = weights.fetch(static_cast<int64_t>(i));
      program.op(stream, matmul_transposed_b(out_grad, weight, activations.grads[i - 1], precision));
      weights.fetched_is_used();
    }
    const Tensor grad = weights.gradient(static_cast<int64_t>(i));
    program.op(stream, matmul_transposed_a(in, out_grad, grad, precision));
    weights.update(static_cast<int64_t>(i), rate_of(weights));
  }
}

// The first column of a weight's gradient, summed on the host over the samples.
Result<void> check_gradient(DeviceReader& reader, const Activations& activations, const OffloadedWeight& weight,
                            size_t number, Precision precision) {
  AACO_ASSIGN(const std::vector<float> grad, reader.floats(weight.grad));
  AACO_ASSIGN(const std::vector<float> in, reader.floats(activations.inputs[number]));
  AACO_ASSIGN(const std::vector<float> out_grad, reader.floats(activations.grads[number]));
  const auto size = static_cast<size_t>(weight.grad.cols());
  std::vector<float> column;
  std::vector<float> expected;
  for (size_t row = 0; row < size; ++row) {
    double sum = 0;
    for (size_t sample = 0; sample * size < in.size(); ++sample) {
      sum += static_cast<double>(in[sample * size + row]) * out_grad[sample * size];
    }
    column.push_back(grad[row * size]);
    expected.push_back(static_cast<float>(sum));
  }
  return expect_close(fmt::format("gradient of weight {} in pinned memory", number), column, expected,
                      order_tolerance(precision));
}

Result<void> build(WorkloadBuilder& builder) {
  const Parameters& parameters = builder.parameters();
  AACO_ASSIGN(const int64_t layers, parameters.integer("num_layers", 1, 1000));
  AACO_ASSIGN(const int64_t size, parameters.integer("layer_size", 16, 65536));
  AACO_ASSIGN(const int64_t batch, parameters.integer("batch_size", 1, 65536));
  AACO_ASSIGN(const int64_t window, parameters.integer("window", 1, 1000));
  AACO_ASSIGN(const int64_t chunks, parameters.integer("chunks", 1, 1024));
  AACO_ASSIGN(const Precision precision, parameters.precision());
  OffloadedWeights weights(builder, {2 * layers, size, window, chunks, precision});
  Activations activations;
  activations.inputs.push_back(builder.random(precision.dtype, {batch, size}, -1, 1));
  for (size_t i = 0; i < weights.count(); ++i) {
    activations.inputs.push_back(builder.tensor(precision.dtype, {batch, size}));
    activations.grads.push_back(builder.tensor(precision.dtype, {batch, size}));
  }
  run_forward(builder, weights, activations, precision);
  run_backward(builder, weights, activations, precision);
  weights.end_iteration();
  builder.output("input", activations.inputs.front());
  builder.output("output", activations.inputs.back());
  const float rate = rate_of(weights);
  for (size_t i = 0; i < weights.count(); ++i) {
    const OffloadedWeight& weight = weights.weight(i);
    builder.output(fmt::format("weight {}", i), weight.master);
    builder.check([=](DeviceReader& reader, int64_t) -> Result<void> {
      AACO_TRY(check_gradient(reader, activations, weight, i, precision));
      return check_update(reader, weight, i, rate);
    });
  }
  builder.units(static_cast<double>(batch));
  return {};
}

}  // namespace

const WorkloadInfo zero_offload{
    .id = "zero_offload",
    .alias = "",
    .priority = "P3",
    .category = "pipeline",
    .unit = "samples",
    .summary = "Training whose weights, gradients and momentum live in pinned host memory",
    .about =
        "Does the link to the host hide behind compute? Each weight is brought in for the forward pass and, where it "
        "was displaced meanwhile, for the backward pass; the products use what was brought in. Gradients go out to "
        "pinned memory; then, chunk by chunk, weight, gradient and momentum come in, descent with momentum 0.9 is done "
        "on the device, and weight and momentum go back. One stream computes, a third of the others prefetch, the rest "
        "update. The work does not grow with the streams: weights are cut into more chunks so that all have some. At "
        "default sizes 8 weights of 64 MiB cross: 0.75 GiB in for the passes, 1.5 GiB in and 1.5 GiB out for the "
        "update, which bounds the iteration. The layers have no biases.",
    .recommended_streams = 6,
    .switch_sensitivity = "medium",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
