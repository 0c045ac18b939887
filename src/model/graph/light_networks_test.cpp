// SPDX-License-Identifier: MIT
// The nine whole networks of the ONNX project: node counts, and FLOPs against the layer list of the paper.
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "base/test_skip.h"
#include "model/graph/conformance_data.h"
#include "model/graph/onnx_graph.h"

namespace aaco {
namespace {

class LightNetworks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!data_.is_here()) {
      AACO_SKIP("data not here: " + data_.archive().string());
    }
    ASSERT_TRUE(data_.extracted());
  }
  Result<ModelGraph> read(const std::string& name) const {
    return read_model_graph(data_.folder() / "light" / ("light_" + name + ".onnx"), GraphForm::kOriginal, {});
  }

  const testing::ConformanceData data_{"light"};
};

// As the Python package `onnx` counts them.
TEST_F(LightNetworks, NodeCounts) {
  const std::map<std::string, size_t> kCounts = {{"resnet50", 415},     {"densenet121", 1746}, {"squeezenet", 105},
                                                 {"shufflenet", 446},   {"vgg19", 82},         {"inception_v1", 237},
                                                 {"inception_v2", 916}, {"bvlc_alexnet", 40},  {"zfnet512", 38}};
  for (const auto& [name, count] : kCounts) {
    const auto graph = read(name);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    EXPECT_EQ(graph->nodes.size(), count) << name;
  }
}

// Every node of all nine has a known shape and FLOPs, from static inference alone.
TEST_F(LightNetworks, AllNodesAreCovered) {
  for (const char* name : {"resnet50", "densenet121", "squeezenet", "shufflenet", "vgg19", "inception_v1",
                           "inception_v2", "bvlc_alexnet", "zfnet512"}) {
    const auto graph = read(name);
    ASSERT_TRUE(graph.has_value()) << graph.error().message;
    ASSERT_EQ(graph->inputs.size(), 1U) << name;
    EXPECT_EQ(graph->inputs[0].dims, (std::vector<int64_t>{1, 3, 224, 224})) << name;
    const GraphFlops flops = total_flops(*graph);
    EXPECT_EQ(flops.nodes_covered, flops.nodes) << name;
    for (const GraphNodeRow& node : graph->nodes) {
      EXPECT_EQ(node.output_shapes.find('?'), std::string::npos) << name << " " << node.op_type << " " << node.outputs;
      EXPECT_TRUE(node.bytes.has_value()) << name << " " << node.op_type << " " << node.outputs;
    }
  }
}

double conv(double outputs_per_side, double in_channels, double out_channels, double kernel) {
  return 2 * outputs_per_side * outputs_per_side * out_channels * in_channels * kernel * kernel;
}

// He et al. 2016, table 1, with the stride in the 3x3 convolution; 4.09 G multiply-adds.
double resnet50_flops() {
  double total = conv(112, 3, 64, 7);
  const int blocks[] = {3, 4, 6, 3};
  double in = 64;
  double side = 56;
  for (int stage = 0; stage < 4; ++stage) {
    const double width = 64 << stage;
    for (int block = 0; block < blocks[stage]; ++block) {
      const double before = side;
      side = block == 0 && stage > 0 ? side / 2 : side;
      total += conv(before, in, width, 1) + conv(side, width, width, 3) + conv(side, width, 4 * width, 1);
      total += block == 0 ? conv(side, in, 4 * width, 1) : 0;
      in = 4 * width;
    }
  }
  return total + 2 * 2048 * 1000 + 1000;  // the classifier, with its bias
}

TEST_F(LightNetworks, Resnet50HasTheFlopsOfItsLayers) {
  const auto graph = read("resnet50");
  ASSERT_TRUE(graph.has_value()) << graph.error().message;
  double flops = 0;
  for (const GraphNodeRow& node : graph->nodes) {
    flops += node.op_type == "Conv" || node.op_type == "Gemm" ? node.flops.value_or(NAN) : 0;
  }
  EXPECT_EQ(flops, resnet50_flops());
  EXPECT_NEAR(flops, 2 * 4.09e9, 0.01e9);
}

// Twice the batch, twice the work; the file's own fixed batch does not stand in the way.
TEST_F(LightNetworks, KnownShapesReplaceTheDeclaredOnes) {
  const auto path = data_.folder() / "light" / "light_vgg19.onnx";
  const auto small = read_model_graph(path, GraphForm::kOriginal, {});
  ASSERT_TRUE(small.has_value());
  const auto two =
      read_model_graph(path, GraphForm::kOriginal, {{small->inputs[0].name, {{2, 3, 224, 224}, "float32"}}});
  ASSERT_TRUE(two.has_value());
  const auto convolutions = [](const ModelGraph& graph) {
    double flops = 0;
    for (const GraphNodeRow& node : graph.nodes) {
      flops += node.op_type == "Conv" ? node.flops.value_or(NAN) : 0;
    }
    return flops;
  };
  EXPECT_EQ(convolutions(*two), 2 * convolutions(*small));
}

}  // namespace
}  // namespace aaco
