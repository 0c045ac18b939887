// SPDX-License-Identifier: MIT
// Arithmetic and compulsory memory traffic of one PyTorch operator, from the shapes that its profiler recorded. The
// formulas are those of onnx_cost.h: an operator is named in the terms of ONNX operators and its shapes are put in
// their order; conventions are the same, and here besides:
//
// - Attention counts its products alone (two forward, five backward, which computes the scores again), as a fused
// kernel
//   executes them: the softmax between them runs beside the matrix units. Where the mask is known to be causal the
//   products of masked pairs are not counted, as fused kernels skip them; otherwise all are.
// - A convolution's bias is not counted: its library adds it in a kernel of its own. Backward counts the gradients that
//   the output mask asks for, each as much as forward.
// - Bytes are those of the tensors that the operator is given and returns, each once. What it only allocates, workspace
//   and random state are not counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cost/call_work.h"

namespace aaco {

// One argument as recorded.
struct TorchArgument {
  enum class Kind : uint8_t { kAbsent, kTensor, kTensorList, kValue };
  Kind kind = Kind::kAbsent;
  std::vector<std::vector<int64_t>> shapes;  // one of a tensor
  std::string dtype;                         // of a tensor, as onnx_cost.h names it; "" where it is not known
  std::optional<std::vector<int64_t>> strides;
  std::optional<std::string> value;  // of what is no tensor: "[1, 1]", "False"; none where values are not recorded
};

struct TorchCall {
  std::string name;  // "aten::mm"
  std::vector<TorchArgument> arguments;
};

CallWork torch_work(const TorchCall& call);

// "c10::BFloat16" as "bfloat16"; "" for what is no element type.
std::string_view torch_dtype(std::string_view recorded);

}  // namespace aaco
