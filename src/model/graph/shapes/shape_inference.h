// SPDX-License-Identifier: MIT
// Static shape inference: what a node's outputs are, from what its inputs are. It covers the operators that vision,
// transformer and recurrent models are made of, with folding of the integer arithmetic that computes shapes; for any
// other operator nothing is known. It checks nothing: for an invalid node its answer is meaningless, but harmless.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/graph/node_view.h"
#include "model/graph/tensor_facts.h"

namespace aaco {

// One entry an output. A null input is one that the node was not given.
std::vector<TensorFacts> infer_outputs(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs);

// A family's table: to add an operator, add a line there.
struct ShapeRule {
  std::string_view op_type;
  void (*infer)(NodeView& node);
};
std::span<const ShapeRule> elementwise_shape_rules();
std::span<const ShapeRule> window_shape_rules();  // convolutions, pooling, resizing
std::span<const ShapeRule> matrix_shape_rules();  // products, reductions, normalisations, attention, recurrent
std::span<const ShapeRule> layout_shape_rules();
std::span<const ShapeRule> selection_shape_rules();  // slices, gathers, shapes, constants

// Fills `traces` of the outputs, for any operator.
void follow_inputs(NodeView& node);

// Fills `values` of the first output where the inputs' values are known; the output's shape must have been inferred.
void fold_constants(NodeView& node);

}  // namespace aaco
