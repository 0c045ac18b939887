// SPDX-License-Identifier: MIT
#include "model/graph/denormal_weights.h"

#include <fstream>
#include <gtest/gtest.h>

#include "base/files/temporary_folder.h"
#include "model/graph/model_making.h"

namespace aaco {
namespace {

using testing::add_body;
using testing::add_node;
using testing::empty_model;

void add_floats(onnx::GraphProto* graph, const std::string& name, const std::vector<float>& values) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->add_dims(static_cast<int64_t>(values.size()));
  tensor->mutable_float_data()->Add(values.begin(), values.end());
}

// 1e-40 is denormal in float32, 1e-38 too (the least normal number is 1.18e-38), 2e-38 and 0 are not.
TEST(DenormalWeights, AreCountedInBodiesAndExternalDataToo) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  onnx::ModelProto model = empty_model();
  add_floats(model.mutable_graph(), "some", {1e-40F, -1e-38F, 2e-38F, 0});
  add_floats(model.mutable_graph(), "none", {1, 2});
  auto* body = add_body(add_node(model.mutable_graph(), "Loop", {}, {"y"}), "body");
  add_floats(body, "inside", {1e-41F});
  onnx::TensorProto* external = model.mutable_graph()->add_initializer();
  external->set_name("outside");
  external->set_data_type(onnx::TensorProto::DOUBLE);
  external->add_dims(2);
  external->set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : {std::pair{"location", "w.bin"}, {"offset", "8"}, {"length", "16"}}) {
    auto* entry = external->add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  const double weights[] = {1e-310, 1e-310, 1};
  std::ofstream(folder->path() / "w.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(weights), sizeof weights);
  std::ofstream(folder->path() / "m.onnx", std::ios::binary) << model.SerializeAsString();
  const DenormalFacts facts = count_denormal_weights(folder->path() / "m.onnx");
  EXPECT_EQ(facts.weights, 4);
  EXPECT_EQ(facts.weights_read, 9);
  ASSERT_EQ(facts.tensors.size(), 3);
  EXPECT_EQ(facts.tensors[0], "some: 2 of 4 (50 %)");
}

}  // namespace
}  // namespace aaco
