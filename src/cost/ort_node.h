// SPDX-License-Identifier: MIT
// Arithmetic and compulsory memory traffic of one node of ONNX Runtime as its profile records it: the type of its
// operator and the shapes of its tensors, through the formulas of onnx_cost.h. The profile holds no attributes, leaves
// out optional tensors that are not given and weights that were packed ahead, and does not say which are missing.
// Hence:
//
// - The shared length of a product follows from the shapes alone; a packed second operand is counted as the [k, n]
//   matrix that it was, in the first one's element type.
// - A convolution needs the shape of its filter; without it there are no figures. What is fused into a convolution or a
//   product behind it (an activation) is not counted.
// - An operator whose formula hangs on an attribute, or on which of its inputs are there, has no figures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cost/call_work.h"

namespace aaco {

struct OrtTensor {
  std::vector<int64_t> dims;
  std::string dtype;  // as onnx_cost.h names it
};

struct OrtNode {
  std::string op_type;
  std::vector<OrtTensor> inputs;
  std::vector<OrtTensor> outputs;
  bool recorded = true;  // both lists are; an empty one then is one without tensors
};

CallWork ort_work(const OrtNode& node);

// ONNX Runtime's word for an element type ("float") as onnx_cost.h names it ("float32"); most are the same.
std::string_view ort_dtype(std::string_view recorded);

}  // namespace aaco
