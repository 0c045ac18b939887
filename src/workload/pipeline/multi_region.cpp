// SPDX-License-Identifier: MIT
#include "workload/layers/closeness.h"
#include "workload/layers/hand_off.h"
#include "workload/layers/host_forward.h"
#include "workload/layers/stream_share.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"hidden", "1024", "features of a token; four times as many between the dense layers"},
    {"batch", "16", "samples of a copy"},
    {"seq_length", "256", "tokens of a sample"},
    kScaleParameter,
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"hidden", "24", ""}, {"batch", "4", ""}, {"seq_length", "6", ""}};
constexpr Parameter kCpuParameters[]{{"hidden", "128", ""}, {"batch", "8", ""}, {"seq_length", "32", ""}};
constexpr int64_t kInner = 4;  // times hidden
constexpr int32_t kRoles = 4;

struct Region {
  Dense up;
  Dense down;
};

// Both regions' halves of one product: the concatenation needs no copy.
struct Model {
  Region a;
  Region b;
  Region c;
  Dense merge_b;  // with the bias
  Tensor merge_c;
};

struct Shape {
  int64_t hidden = 0;
  int64_t rows = 0;  // tokens of the samples that go through the regions together
  Precision precision;
};

struct Lane {
  Tensor in;
  Tensor a;
  Tensor b;
  Tensor c;
  Tensor out;
};

Region make_region(WorkloadBuilder& builder, const Shape& shape) {
  const Dense up = make_dense(builder, shape.precision, shape.hidden, kInner * shape.hidden);
  return {up, make_dense(builder, shape.precision, kInner * shape.hidden, shape.hidden)};
}

Model make_model(WorkloadBuilder& builder, const Shape& shape) {
  Model model;
  model.a = make_region(builder, shape);
  model.b = make_region(builder, shape);
  model.c = make_region(builder, shape);
  model.merge_b = make_dense(builder, shape.precision, shape.hidden, shape.hidden);
  model.merge_c = make_dense(builder, shape.precision, shape.hidden, shape.hidden).weight;
  return model;
}

// out = in + down(gelu(up(norm(in)))).
Tensor run_region(WorkloadBuilder& builder, int32_t stream, const Region& region, const Tensor& in,
                  const Shape& shape) {
  const Dtype dtype = shape.precision.dtype;
  const Tensor normed = builder.tensor(dtype, {shape.rows, shape.hidden});
  const Tensor inner = builder.tensor(dtype, {shape.rows, kInner * shape.hidden});
  const Tensor out = builder.tensor(dtype, {shape.rows, shape.hidden});
  Program& program = builder.iteration();
  program.op(stream, normalised(in, normed));
  program.op(stream, forward(region.up, normed, inner, shape.precision, Epilogue::kBiasGelu));
  program.op(stream, forward(region.down, inner, out, shape.precision));
  BinaryArgs add{out.data, in.data, out.data, out.elements(), out.elements()};
  add.dtype = dtype;
  program.op(stream, add);
  return out;
}

// Each region goes on with the next iteration as soon as what it gave has been read.
Lane run_lane(WorkloadBuilder& builder, StreamShare streams, const Model& model, const Shape& shape) {
  const int32_t on_a = streams.role(0);
  const int32_t on_b = streams.role(1);
  const int32_t on_c = streams.role(2);
  const int32_t merging = streams.role(3);
  Program& program = builder.iteration();
  Lane lane;
  lane.in = builder.random(shape.precision.dtype, {shape.rows, shape.hidden}, -1, 1);
  lane.out = builder.tensor(shape.precision.dtype, {shape.rows, shape.hidden});
  lane.a = run_region(builder, on_a, model.a, lane.in, shape);
  hand_off(program, on_a, {on_b, on_c});
  lane.b = run_region(builder, on_b, model.b, lane.a, shape);
  hand_off(program, on_b, {merging, on_a});
  lane.c = run_region(builder, on_c, model.c, lane.a, shape);
  program.op(merging, forward(model.merge_b, lane.b, lane.out, shape.precision));
  hand_off(program, merging, {on_b});
  hand_off(program, on_c, {merging, on_a});
  GemmArgs second = matmul(lane.c, model.merge_c, lane.out, shape.precision);
  second.beta = 1;
  program.op(merging, second);
  hand_off(program, merging, {on_c});
  return lane;
}

// The first token of a lane through the merge again, on the host.
Result<void> check_lane(DeviceReader& reader, const Model& model, const Lane& lane, const Shape& shape) {
  const auto row_of = [&](const Tensor& tensor) { return reader.floats(tensor.view(0, {1, shape.hidden})); };
  AACO_ASSIGN(const std::vector<float> a, row_of(lane.a));
  AACO_ASSIGN(const std::vector<float> b, row_of(lane.b));
  AACO_ASSIGN(const std::vector<float> c, row_of(lane.c));
  AACO_ASSIGN(const std::vector<float> out, row_of(lane.out));
  AACO_ASSIGN(std::vector<float> expected, forward_on_host(reader, model.merge_b, b, false));
  const Dense without_bias{model.merge_c, model.merge_b.bias};
  AACO_ASSIGN(const std::vector<float> second, forward_on_host(reader, without_bias, c, false));
  AACO_ASSIGN(const std::vector<float> bias, reader.floats(model.merge_b.bias));
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] += second[i] - bias[i];
  }
  AACO_TRY(expect_close("what was merged", out, expected, order_tolerance(shape.precision)));
  if (b == c || a == b) {
    return Error{ErrorKind::kInvalid, "two regions with different weights gave the same",
                 "the device computes something else than the host"};
  }
  return {};
}

Result<void> build(WorkloadBuilder& builder) {
  Shape shape;
  AACO_ASSIGN(shape.hidden, builder.parameters().integer("hidden", 1, 65536));
  AACO_ASSIGN(const int64_t batch, builder.parameters().integer("batch", 1, 65536));
  AACO_ASSIGN(const int64_t length, builder.parameters().integer("seq_length", 1, 65536));
  AACO_ASSIGN(shape.precision, builder.parameters().precision());
  AACO_ASSIGN(const int64_t copies, copies_of_work(builder, kStreamsPerCopy));
  const Model model = make_model(builder, shape);
  for (int64_t copy = 0; copy < copies; ++copy) {
    const StreamShare streams = all_streams(builder).part(copy, copies);
    const int64_t lanes = std::min<int64_t>((streams.count + kRoles - 1) / kRoles, batch);
    for (int64_t i = 0; i < lanes; ++i) {
      shape.rows = item_range(batch, i, lanes).count * length;
      const Lane lane = run_lane(builder, streams.part(i, lanes), model, shape);
      builder.output("merged " + std::to_string(copy) + "." + std::to_string(i), lane.out);
      builder.check([=](DeviceReader& reader, int64_t) { return check_lane(reader, model, lane, shape); });
    }
  }
  builder.units(static_cast<double>(copies * batch));
  return {};
}

}  // namespace

const WorkloadInfo multi_region{
    .id = "multi_region",
    .alias = "torch_compile",
    .priority = "P3",
    .category = "pipeline",
    .unit = "samples",
    .summary = "Regions A, then B beside C, then a merge; captured as one graph with --dispatch graph",
    .about =
        "What a compiler makes of a model: regions that run as captured graphs. Region A feeds B and C, which run side "
        "by side, and a merge waits for both; each has its own stream, and half of the samples go through four streams "
        "of eight. With --dispatch graph an iteration is one launch, with single or threads the same kernels are "
        "dispatched one by one: the difference is what capturing saves. Every further 8 streams serve another copy "
        "with its own samples and the same weights. Compiling itself (fusing kernels) is not part of it.",
    .recommended_streams = 8,
    .switch_sensitivity = "medium",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
