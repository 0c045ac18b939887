// SPDX-License-Identifier: MIT
// Tensor names that more than one graph of a model defines: a body and another body, or a body and what is around it.
#pragma once

#include <string_view>
#include <unordered_set>

namespace onnx {
class GraphProto;
}

namespace aaco {

// Of `top` and all bodies in it; the views last as long as `top`.
std::unordered_set<std::string_view> names_of_several_graphs(const onnx::GraphProto& top);

}  // namespace aaco
