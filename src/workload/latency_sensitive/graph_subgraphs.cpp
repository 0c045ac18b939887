// SPDX-License-Identifier: MIT
#include "workload/layers/closeness.h"
#include "workload/layers/hand_off.h"
#include "workload/layers/host_forward.h"
#include "workload/layers/stream_share.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{{"subgraphs", "8", "independent subgraphs of a copy"},
                                  {"layers", "3", "dense layers of a subgraph"},
                                  {"input", "1024", "features of a sample"},
                                  {"hidden", "2048", "features between the layers of a subgraph"},
                                  {"output", "512", "features that a subgraph, and the aggregator, give"},
                                  {"batch", "32", "samples of a copy"},
                                  kScaleParameter,
                                  kDtypeParameter};
constexpr Parameter kTestParameters[]{
    {"layers", "2", ""}, {"input", "24", ""}, {"hidden", "32", ""}, {"output", "8", ""}, {"batch", "4", ""}};
constexpr Parameter kCpuParameters[]{
    {"input", "256", ""}, {"hidden", "512", ""}, {"output", "128", ""}, {"batch", "8", ""}};

struct Shape {
  int64_t subgraphs = 0;
  int64_t layers = 0;
  int64_t input = 0;
  int64_t hidden = 0;
  int64_t output = 0;
  int64_t batch = 0;
  Precision precision;
};

using Subgraph = std::vector<Dense>;

struct Model {
  std::vector<Subgraph> subgraphs;
  Dense aggregator;
};

struct Copy {
  Tensor input;
  Tensor joined;  // [batch, subgraphs * output]
  Tensor result;
};

Result<Shape> shape_of(const Parameters& parameters) {
  Shape shape;
  AACO_ASSIGN(shape.subgraphs, parameters.integer("subgraphs", 1, 1024));
  AACO_ASSIGN(shape.layers, parameters.integer("layers", 1, 100));
  AACO_ASSIGN(shape.input, parameters.integer("input", 1, 65536));
  AACO_ASSIGN(shape.hidden, parameters.integer("hidden", 1, 65536));
  AACO_ASSIGN(shape.output, parameters.integer("output", 1, 65536));
  AACO_ASSIGN(shape.batch, parameters.integer("batch", 1, 65536));
  AACO_ASSIGN(shape.precision, parameters.precision());
  return shape;
}

Model make_model(WorkloadBuilder& builder, const Shape& shape) {
  Model model;
  for (int64_t i = 0; i < shape.subgraphs; ++i) {
    Subgraph& layers = model.subgraphs.emplace_back();
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      layers.push_back(make_dense(builder, shape.precision, layer == 0 ? shape.input : shape.hidden,
                                  layer + 1 == shape.layers ? shape.output : shape.hidden));
    }
  }
  model.aggregator = make_dense(builder, shape.precision, shape.subgraphs * shape.output, shape.output);
  return model;
}

// The last layer writes its columns of `joined` itself.
void run_subgraph(WorkloadBuilder& builder, int32_t stream, const Shape& shape, const Subgraph& layers,
                  const Copy& copy, int64_t number) {
  Tensor in = copy.input;
  for (size_t layer = 0; layer + 1 < layers.size(); ++layer) {
    const Tensor out = builder.tensor(shape.precision.dtype, {shape.batch, shape.hidden});
    builder.iteration().op(stream, forward(layers[layer], in, out, shape.precision, Epilogue::kBiasRelu));
    in = out;
  }
  const Tensor columns = copy.joined.view(number * shape.output, {shape.batch, shape.output});
  GemmArgs last = forward(layers.back(), in, columns, shape.precision);
  last.ldc = copy.joined.cols();
  builder.iteration().op(stream, last);
}

// All subgraphs begin behind the first stream, which aggregates what they give: an iteration ends where it began.
Copy run_copy(WorkloadBuilder& builder, StreamShare streams, const Shape& shape, const Model& model) {
  Copy copy;
  copy.input = builder.random(shape.precision.dtype, {shape.batch, shape.input}, -1, 1);
  copy.joined = builder.tensor(shape.precision.dtype, {shape.batch, shape.subgraphs * shape.output});
  copy.result = builder.tensor(shape.precision.dtype, {shape.batch, shape.output});
  std::vector<int32_t> used;
  for (int32_t i = 0; i < std::min<int64_t>(streams.count, shape.subgraphs); ++i) {
    used.push_back(streams.stream(i));
  }
  hand_off(builder.iteration(), streams.first, used);
  for (int64_t i = 0; i < shape.subgraphs; ++i) {
    run_subgraph(builder, streams.stream(i), shape, model.subgraphs[static_cast<size_t>(i)], copy, i);
  }
  builder.iteration().after(streams.first, used);
  builder.iteration().op(streams.first, forward(model.aggregator, copy.joined, copy.result, shape.precision));
  return copy;
}

// The first sample of a copy: its last subgraph and the aggregator again, on the host.
Result<void> check_copy(DeviceReader& reader, const Shape& shape, const Model& model, const Copy& copy) {
  AACO_ASSIGN(std::vector<float> row, reader.floats(copy.input.view(0, {1, shape.input})));
  const Subgraph& last = model.subgraphs.back();
  for (size_t layer = 0; layer < last.size(); ++layer) {
    AACO_ASSIGN(row, forward_on_host(reader, last[layer], row, layer + 1 < last.size()));
  }
  AACO_ASSIGN(const std::vector<float> joined, reader.floats(copy.joined.view(0, {1, copy.joined.cols()})));
  const std::vector<float> columns(joined.end() - shape.output, joined.end());
  AACO_TRY(expect_close("what the last subgraph gave", columns, row, order_tolerance(shape.precision)));
  AACO_ASSIGN(const std::vector<float> expected, forward_on_host(reader, model.aggregator, joined, false));
  AACO_ASSIGN(const std::vector<float> result, reader.floats(copy.result.view(0, {1, shape.output})));
  return expect_close("what was aggregated", result, expected, order_tolerance(shape.precision));
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Shape shape, shape_of(builder.parameters()));
  AACO_ASSIGN(const int64_t copies, copies_of_work(builder, kStreamsPerCopy));
  const Model model = make_model(builder, shape);
  for (int64_t i = 0; i < copies; ++i) {
    const Copy copy = run_copy(builder, all_streams(builder).part(i, copies), shape, model);
    builder.output("aggregate " + std::to_string(i), copy.result);
    builder.check(
        [shape, model, copy](DeviceReader& reader, int64_t) { return check_copy(reader, shape, model, copy); });
  }
  builder.units(static_cast<double>(copies * shape.batch));
  return {};
}

}  // namespace

const WorkloadInfo graph_subgraphs{
    .id = "graph_subgraphs",
    .alias = "",
    .priority = "P2",
    .category = "latency_sensitive",
    .unit = "samples",
    .summary = "Independent subgraphs side by side, and an aggregator that waits for all of them",
    .about =
        "Fan-out and fan-in: eight small networks on as many streams begin behind one event, and a last layer waits "
        "for "
        "all. The products are too small to fill a device, so that the time is launches, waits, and how well small "
        "kernels share the device. Up to 8 streams serve one copy of the graph; every further 8 another one with its "
        "own samples, the weights being the same. With scale=fixed there is one copy, which uses at most as many "
        "streams as it has subgraphs.",
    .recommended_streams = 8,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
