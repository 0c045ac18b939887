// SPDX-License-Identifier: MIT
// Small ONNX models for tests.
#pragma once

#include <string>
#include <vector>

#include "model/graph/onnx_graph.h"
#include "onnx.pb.h"

namespace aaco::testing {

using Names = std::vector<std::string>;

inline onnx::ModelProto empty_model() {
  onnx::ModelProto model;
  model.set_ir_version(10);
  model.set_producer_name("test");
  model.add_opset_import()->set_version(20);
  model.mutable_graph()->set_name("g");
  return model;
}

// A dimension below zero is symbolic and named "d<position>".
inline void declare(onnx::ValueInfoProto* value, const std::string& name, const std::vector<int64_t>& dims,
                    int type = onnx::TensorProto::FLOAT) {
  value->set_name(name);
  value->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  auto* shape = value->mutable_type()->mutable_tensor_type()->mutable_shape();
  for (size_t i = 0; i < dims.size(); ++i) {
    auto* dim = shape->add_dim();
    if (dims[i] >= 0) {
      dim->set_dim_value(dims[i]);
    } else {
      dim->set_dim_param("d" + std::to_string(i));
    }
  }
}

inline onnx::NodeProto* add_node(onnx::GraphProto* graph, const std::string& op_type, const Names& inputs,
                                 const Names& outputs, const std::string& name = "") {
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type(op_type);
  node->set_name(name);
  for (const std::string& input : inputs) {
    node->add_input(input);
  }
  for (const std::string& output : outputs) {
    node->add_output(output);
  }
  return node;
}

inline void set_integer(onnx::NodeProto* node, const std::string& name, int64_t value) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INT);
  attribute->set_i(value);
}

inline void set_integers(onnx::NodeProto* node, const std::string& name, const std::vector<int64_t>& values) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::INTS);
  attribute->mutable_ints()->Add(values.begin(), values.end());
}

inline onnx::GraphProto* add_body(onnx::NodeProto* node, const std::string& name) {
  auto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::GRAPH);
  return attribute->mutable_g();
}

// Zeros, or the integers of `values`.
inline onnx::TensorProto* add_initialiser(onnx::GraphProto* graph, const std::string& name,
                                          const std::vector<int64_t>& dims, int type = onnx::TensorProto::FLOAT,
                                          const std::vector<int64_t>& values = {}) {
  onnx::TensorProto* tensor = graph->add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(type);
  tensor->mutable_dims()->Add(dims.begin(), dims.end());
  tensor->mutable_int64_data()->Add(values.begin(), values.end());
  return tensor;
}

inline Result<ModelGraph> graph_of(const onnx::ModelProto& model, const KnownShapes& known = {}) {
  return read_model_graph_bytes(model.SerializeAsString(), "test.onnx", GraphForm::kOriginal, known);
}

}  // namespace aaco::testing
