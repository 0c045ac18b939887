// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "workload/builder.h"
#include "workload/layers/closeness.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"tensor_size", "256", "elements of each array"},
    {"ops_per_stream", "100", "chains of four kernels on each stream"},
    {"order", "stream",
     "stream: all of one stream's kernels, then the next's; round_robin: one chain of each in turn"}};
constexpr Parameter kTestParameters[]{{"tensor_size", "64", ""}, {"ops_per_stream", "5", ""}};

// clamp(|1.5 t + 0.5|, 0, 10), one kernel a step: 1.5 t, + 0.5, the magnitude, the clamp.
void chain(WorkloadBuilder& builder, int32_t stream, const Tensor& in, const Tensor& out) {
  Program& program = builder.iteration();
  const int64_t n = in.elements();
  program.op(stream, UnaryArgs{in.data, out.data, n, UnaryOp::kScaleShift, 1.5F, 0});
  program.op(stream, UnaryArgs{out.data, out.data, n, UnaryOp::kScaleShift, 1, 0.5F});
  program.op(stream, UnaryArgs{out.data, out.data, n, UnaryOp::kAbs});
  program.op(stream, UnaryArgs{out.data, out.data, n, UnaryOp::kClamp, 0, 10});
}

Result<void> check_chains(DeviceReader& reader, const Tensor& in, const Tensor& out) {
  AACO_ASSIGN(std::vector<float> should_be, reader.floats(in));
  AACO_ASSIGN(const std::vector<float> is, reader.floats(out));
  for (float& value : should_be) {
    value = std::clamp(std::abs(1.5F * value + 0.5F), 0.0F, 10.0F);
  }
  return expect_close("what the chains leave", is, should_be, order_tolerance(Precision()));
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const int64_t size, builder.parameters().integer("tensor_size", 1, int64_t{1} << 28));
  AACO_ASSIGN(const int64_t chains, builder.parameters().integer("ops_per_stream", 1, 100'000));
  AACO_ASSIGN(const size_t round_robin, builder.parameters().choice("order", {{"stream", "round_robin"}}));
  const int32_t streams = builder.streams();
  const Tensor in = builder.random(Dtype::kF32, {streams * chains, size}, -10, 10);
  const Tensor out = builder.tensor(Dtype::kF32, {streams * chains, size});
  for (int64_t i = 0; i < streams * chains; ++i) {
    const int64_t stream = round_robin != 0 ? i % streams : i / chains;
    chain(builder, static_cast<int32_t>(stream), in.view(i * size, {size}), out.view(i * size, {size}));
  }
  builder.output("clamped", out);
  builder.check([=](DeviceReader& reader, int64_t) { return check_chains(reader, in, out); });
  builder.units(4 * static_cast<double>(streams * chains));
  return {};
}

}  // namespace

const WorkloadInfo tiny_kernel_stress{
    .id = "tiny_kernel_stress",
    .alias = "",
    .priority = "P0",
    .category = "latency_sensitive",
    .unit = "kernels",
    .summary = "Thousands of kernels that do almost nothing",
    .about =
        "Each stream gets 100 chains of four element-wise kernels on 256 elements. Nothing is computed to speak of: "
        "the time is what dispatching costs, on the host with one thread, on the device with a graph. It does not "
        "tell how kernels that fill the device share it.",
    .recommended_streams = 16,
    .switch_sensitivity = "critical",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .build = build};

}  // namespace aaco::workloads
