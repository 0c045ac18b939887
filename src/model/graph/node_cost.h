// SPDX-License-Identifier: MIT
// The columns of a node's row that follow from its tensors: their names and shapes, its FLOPs and bytes.
#pragma once

#include <vector>

#include "model/graph/tensor_facts.h"
#include "record/rows.h"

namespace onnx {
class NodeProto;
}

namespace aaco {

// A null input is one that the node was not given.
void fill_cost(const onnx::NodeProto& node, const std::vector<const TensorFacts*>& inputs,
               const std::vector<TensorFacts>& outputs, GraphNodeRow& row);

}  // namespace aaco
