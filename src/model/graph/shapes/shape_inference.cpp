// SPDX-License-Identifier: MIT
#include "model/graph/shapes/shape_inference.h"

#include <algorithm>
#include <array>

#include "onnx.pb.h"

namespace aaco {
namespace {

bool has_known_domain(const std::string& domain) {
  return domain.empty() || domain == "ai.onnx" || domain == "com.microsoft" || domain == "com.microsoft.nchwc";
}

const ShapeRule* rule_of(const std::string& op_type) {
  for (const auto rules : {elementwise_shape_rules(), window_shape_rules(), matrix_shape_rules(), layout_shape_rules(),
                           selection_shape_rules()}) {
    const auto position =
        std::find_if(rules.begin(), rules.end(), [&](const ShapeRule& rule) { return rule.op_type == op_type; });
    if (position != rules.end()) {
      return &*position;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<TensorFacts> infer_outputs(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs) {
  NodeView view(node, inputs);
  const ShapeRule* rule = has_known_domain(node.domain()) ? rule_of(node.op_type()) : nullptr;
  if (rule != nullptr) {
    rule->infer(view);
    fold_constants(view);
  }
  follow_inputs(view);
  std::vector<TensorFacts> outputs = view.take_outputs();
  for (TensorFacts& output : outputs) {
    if (output.shape) {
      output.shape = sane_shape(std::move(*output.shape));
    }
    if (output.values && output.values->size() > kMaxValues) {
      output.values.reset();
    }
  }
  return outputs;
}

}  // namespace aaco
