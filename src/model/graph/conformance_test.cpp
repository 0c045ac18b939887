// SPDX-License-Identifier: MIT
// Static shape inference against the ONNX project's recorded outputs: what is inferred must be what was computed.
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/test_skip.h"
#include "model/graph/conformance_data.h"
#include "model/graph/onnx_graph.h"
#include "model/graph/tensor_facts.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

namespace fs = std::filesystem;

std::optional<onnx::TensorProto> recorded_tensor(const fs::path& file) {
  const auto bytes = read_file(file);
  onnx::TensorProto tensor;
  return bytes && tensor.ParseFromString(*bytes) ? std::optional(tensor) : std::nullopt;
}

// The model without what it declares about its outputs and intermediates, and with its first recorded inputs as
// constants, because the values of shape operands matter.
std::string without_declarations(onnx::ModelProto model, const fs::path& recorded) {
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.clear_value_info();
  for (auto& output : *graph.mutable_output()) {
    output.clear_type();
  }
  for (int i = 0; i < graph.input_size(); ++i) {
    auto tensor = recorded_tensor(recorded / ("input_" + std::to_string(i) + ".pb"));
    if (tensor && graph.input(i).type().has_tensor_type()) {
      tensor->set_name(graph.input(i).name());
      *graph.add_initializer() = *tensor;
    }
  }
  return model.SerializeAsString();
}

struct Tally {
  int inferred = 0;
};

void check_case(const fs::path& folder, Tally& tally) {
  const auto bytes = read_file(folder / "model.onnx");
  onnx::ModelProto model;
  ASSERT_TRUE(bytes.has_value() && model.ParseFromString(*bytes)) << folder;
  const fs::path recorded = folder / "test_data_set_0";
  const auto graph = read_model_graph_bytes(without_declarations(model, recorded), folder, GraphForm::kOriginal, {});
  ASSERT_TRUE(graph.has_value()) << folder << ": " << graph.error().message;
  // The row that makes the output says what was inferred for it.
  for (int i = 0; i < model.graph().output_size(); ++i) {
    const std::string& name = model.graph().output(i).name();
    if (!model.graph().output(i).type().has_tensor_type()) {
      continue;
    }
    const auto tensor = recorded_tensor(recorded / ("output_" + std::to_string(i) + ".pb"));
    if (!tensor) {
      continue;
    }
    for (const GraphNodeRow& node : graph->nodes) {
      const Json outputs = Json::parse(node.outputs);
      const auto position = std::find(outputs.begin(), outputs.end(), name) - outputs.begin();
      if (!node.scope.empty() || position == static_cast<std::ptrdiff_t>(outputs.size())) {
        continue;
      }
      std::stringstream shapes(node.output_shapes);
      std::string shape;
      for (std::ptrdiff_t at = 0; at <= position; ++at) {
        std::getline(shapes, shape, ';');
      }
      if (shape.find('?') != std::string::npos) {
        continue;
      }
      ++tally.inferred;
      EXPECT_EQ(shape, shape_text(Dims(tensor->dims().begin(), tensor->dims().end()))) << folder << " " << node.op_type;
      if (position == 0 && !node.dtype.empty()) {
        EXPECT_EQ(node.dtype, dtype_name(tensor->data_type())) << folder << " " << node.op_type;
      }
    }
  }
}

TEST(Conformance, InferredShapesAreTheRecordedOnes) {
  const testing::ConformanceData data({"node", "simple", "pytorch-operator", "pytorch-converted"});
  if (!data.is_here()) {
    AACO_SKIP("data not here: " + data.archive().string());
  }
  ASSERT_TRUE(data.extracted());
  Tally tally;
  int cases = 0;
  for (const char* kind : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
    for (const auto& entry : fs::directory_iterator(data.folder() / kind)) {
      if (fs::exists(entry.path() / "model.onnx")) {
        ++cases;
        check_case(entry.path(), tally);
      }
    }
  }
  EXPECT_EQ(cases, 1793);
  EXPECT_GT(tally.inferred, 1700);
}

}  // namespace
}  // namespace aaco
