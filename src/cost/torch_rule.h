// SPDX-License-Identifier: MIT
// How a PyTorch operator gets its work: a line in the table of its family. To add an operator, add a line there.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "cost/onnx_cost.h"
#include "cost/torch_cost.h"

namespace aaco::cost {

using Shape = std::vector<int64_t>;

// Each family: the work of the call where it has a line for its name. A shape or value that it needs and that is not
// recorded leaves figures absent, and `missing` says which.
std::optional<CallWork> torch_product(const TorchCall& call);
std::optional<CallWork> torch_convolution(const TorchCall& call);
std::optional<CallWork> torch_attention(const TorchCall& call);
std::optional<CallWork> torch_elementwise(const TorchCall& call);
std::optional<CallWork> torch_reduction(const TorchCall& call);     // softmax and normalisations, forward and back
std::optional<CallWork> torch_selection(const TorchCall& call);     // embeddings and gathers
std::optional<CallWork> torch_tensor_lists(const TorchCall& call);  // of optimisers: many tensors in one call

// The argument where it is a tensor; null where it is not, or there is none.
const TorchArgument* tensor(const TorchCall& call, size_t index);
// Its value as recorded; none also where it was left out.
std::optional<std::string> value(const TorchCall& call, size_t index);
std::optional<int64_t> integer(const TorchCall& call, size_t index);
std::optional<std::vector<int64_t>> integers(const TorchCall& call, size_t index);  // of "[1, 2]" or "1"
std::optional<bool> boolean(const TorchCall& call, size_t index);
// The element type that an argument names by its number; `missing` where it was left out.
std::string_view dtype_argument(const TorchCall& call, size_t index, std::string_view missing);

// Of an ONNX operator with these operands.
struct Operand {
  Shape shape;
  std::string_view dtype;
};
OpShape op_shape(std::string_view op_type, const std::vector<Operand>& inputs, const std::vector<Operand>& outputs);
Operand operand(const TorchArgument& argument);

// Sets the bytes of what is read and written, or why they are not known.
void set_bytes(CallWork& work, const std::vector<Operand>& read, const std::vector<Operand>& written);
// Every tensor of the call.
std::vector<Operand> all_tensors(const TorchCall& call);

// As PyTorch broadcasts; none where the shapes do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

}  // namespace aaco::cost
