// SPDX-License-Identifier: MIT
// An operator's arguments as its framework's profiler writes them, in the terms of src/cost. What could not be read is
// left out.
#pragma once

#include "analysis/timeline/operators/operator_key.h"
#include "cost/ort_node.h"
#include "cost/torch_cost.h"
#include "record/events/event_table.h"

namespace aaco {

// PyTorch's lists: "Input Dims", "Input type", "Input Strides", "Concrete Inputs". An argument that is none of a tensor
// and a value is of kind kAbsent. No arguments where no shapes are recorded.
TorchCall torch_call(const StringTable& strings, const OperatorKey& key);

// ONNX Runtime's: [{"float":[2,4]},{"int64":[]}]. Not recorded where a list is not there or not of that form.
OrtNode ort_node(const StringTable& strings, const OperatorKey& key);

}  // namespace aaco
