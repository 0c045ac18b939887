// SPDX-License-Identifier: MIT
// How often a control-flow node runs a body, where the file fixes it.
#pragma once

#include <optional>
#include <vector>

#include "model/graph/tensor_facts.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace aaco {

// Runs of the graph in `body` per execution of `node`: of an If with a constant condition, a Loop whose trip count is
// constant and whose condition never ends it, a Scan over an axis of known length. `inputs` as for infer_outputs.
std::optional<double> fixed_trip_count(const onnx::NodeProto& node, const onnx::AttributeProto& body,
                                       const std::vector<const TensorFacts*>& inputs);

}  // namespace aaco
