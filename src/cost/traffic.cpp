// SPDX-License-Identifier: MIT
// Compulsory bytes of an operator: each input once, each output once, save for the operators listed here.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "cost/flops_rule.h"
#include "cost/onnx_cost.h"
#include "cost/shape_arithmetic.h"

namespace aaco {
namespace {

using cost::kUnknown;
using Names = std::span<const std::string_view>;

bool contains(Names names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

// The output is the input's memory under another shape, or made before any inference.
constexpr auto kMovesNothing = std::to_array<std::string_view>(
    {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Constant", "Optional", "OptionalGetElement"});
// Only shapes are read.
constexpr auto kReadsNothing = std::to_array<std::string_view>({"Shape", "Size", "EyeLike", "OptionalHasElement"});
// The traffic is that of the body's nodes, which have rows of their own.
constexpr auto kControlFlow = std::to_array<std::string_view>({"If", "Loop", "Scan", "SequenceMap"});
// Of the first input as many elements are read as come out.
constexpr auto kSelects = std::to_array<std::string_view>({"Gather", "GatherElements", "GatherND", "Slice"});

double bytes_of(const std::vector<int64_t>& shape, const std::vector<std::string>& dtypes, size_t index) {
  if (index >= dtypes.size()) {
    return kUnknown;
  }
  if (dtypes[index] == kOmittedTensor) {
    return 0;
  }
  return std::ceil(cost::elements(shape) * dtype_bytes(dtypes[index]).value_or(kUnknown));
}

double output_bytes(const OpShape& op) {
  double sum = 0;
  for (size_t i = 0; i < op.output_shapes.size(); ++i) {
    sum += bytes_of(op.output_shapes[i], op.output_dtypes, i);
  }
  return sum;
}

// EmbedLayerNormalization gathers one row per position from each of its tables, inputs 2 to 4.
bool is_selected_from(const OpShape& op, size_t index) {
  return (contains(kSelects, op.op_type) && index == 0) ||
         (op.op_type == "EmbedLayerNormalization" && index >= 2 && index <= 4);
}

// Of GatherBlockQuantized's table, scales and zero points, all with the axis that is gathered along: what comes out has
// another element type, and the table may be packed along another axis.
double quantized_row_bytes(const OpShape& op, size_t index) {
  const int axis = static_cast<int>(cost::attribute(op, "gather_axis"));
  return std::ceil(bytes_of(op.input_shapes[index], op.input_dtypes, index) * cost::input_elements(op, 1) /
                   cost::input_dim(op, index, axis));
}

double input_bytes(const OpShape& op) {
  const bool known = cost::has_known_domain(op);
  double sum = 0;
  for (size_t i = 0; i < op.input_shapes.size(); ++i) {
    const bool given = known && cost::has_input(op, i);
    if (given && op.op_type == "GatherBlockQuantized" && i != 1) {
      sum += quantized_row_bytes(op, i);
    } else if (given && is_selected_from(op, i) && !op.output_shapes.empty()) {
      sum += bytes_of(op.output_shapes.front(), op.output_dtypes, 0);
    } else {
      sum += bytes_of(op.input_shapes[i], op.input_dtypes, i);
    }
  }
  return sum;
}

}  // namespace

std::optional<double> op_bytes(const OpShape& op) {
  const bool known = cost::has_known_domain(op);
  if ((known && contains(kControlFlow, op.op_type)) || cost::hides_past_length(op)) {
    return std::nullopt;
  }
  const bool standard = op.domain.empty() || op.domain == "ai.onnx";
  if (standard && contains(kMovesNothing, op.op_type)) {
    return 0;
  }
  const double bytes = output_bytes(op) + (known && contains(kReadsNothing, op.op_type) ? 0 : input_bytes(op));
  return std::isfinite(bytes) ? std::optional(bytes) : std::nullopt;
}

}  // namespace aaco
