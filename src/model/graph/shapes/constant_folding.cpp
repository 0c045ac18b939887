// SPDX-License-Identifier: MIT
// The integer arithmetic with which exporters compute shapes: Shape -> Gather -> Mul -> Concat -> Reshape and the like.
#include <algorithm>
#include <limits>

#include "model/graph/shapes/shape_inference.h"
#include "onnx.pb.h"

namespace aaco {
namespace {

using FoldedDims = std::optional<Dims>;

bool is_integer(const std::string& dtype) { return dtype == "int64" || dtype == "int32" || dtype == "bool"; }

std::optional<int64_t> apply(const std::string& op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (op == "Add") {
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  }
  if (op == "Sub") {
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  }
  if (op == "Mul") {
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  }
  if (op == "Div" || op == "Mod") {
    if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) {
      return std::nullopt;
    }
    if (op == "Div") {
      return a / b;
    }
    const int64_t remainder = a % b;  // the sign of the divisor, as fmod = 0 asks
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
  }
  if (op == "Min" || op == "Max") {
    return op == "Min" ? std::min(a, b) : std::max(a, b);
  }
  if (op == "Equal") {
    return a == b ? 1 : 0;
  }
  if (op == "Less" || op == "LessOrEqual") {
    return a < b || (op == "LessOrEqual" && a == b) ? 1 : 0;
  }
  if (op == "Greater" || op == "GreaterOrEqual") {
    return a > b || (op == "GreaterOrEqual" && a == b) ? 1 : 0;
  }
  return std::nullopt;
}

// Element `i` of an operand of length `size` or 1; other broadcasts are not folded.
std::optional<int64_t> element(const Dims& values, size_t i, size_t size) {
  if (values.size() == 1) {
    return values.front();
  }
  return values.size() == size ? std::optional(values[i]) : std::nullopt;
}

FoldedDims fold_binary(const NodeView& node, size_t size) {
  const Dims* a = node.values(0);
  const Dims* b = node.values(1);
  if (a == nullptr || b == nullptr || node.input_count() != 2 || node.integer("fmod", 0) != 0) {
    return std::nullopt;
  }
  Dims result;
  for (size_t i = 0; i < size; ++i) {
    const auto left = element(*a, i, size);
    const auto right = element(*b, i, size);
    const auto value = left && right ? apply(node.node().op_type(), *left, *right) : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    result.push_back(*value);
  }
  return result;
}

FoldedDims fold_where(const NodeView& node, size_t size) {
  const Dims* condition = node.values(0);
  const Dims* yes = node.values(1);
  const Dims* no = node.values(2);
  if (condition == nullptr || yes == nullptr || no == nullptr) {
    return std::nullopt;
  }
  Dims result;
  for (size_t i = 0; i < size; ++i) {
    const auto chosen = element(*condition, i, size);
    const auto value = chosen ? element(*chosen != 0 ? *yes : *no, i, size) : std::nullopt;
    if (!value) {
      return std::nullopt;
    }
    result.push_back(*value);
  }
  return result;
}

FoldedDims fold_concat(const NodeView& node) {
  Dims result;
  for (size_t i = 0; i < node.input_count(); ++i) {
    const Dims* part = node.values(i);
    const Dims* shape = node.shape(i);
    if (part == nullptr || shape == nullptr || shape->size() != 1 || result.size() + part->size() > kMaxValues) {
      return std::nullopt;
    }
    result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

FoldedDims fold_gather(const NodeView& node) {
  const Dims* data = node.values(0);
  const Dims* indices = node.values(1);
  const Dims* shape = node.shape(0);
  if (data == nullptr || indices == nullptr || shape == nullptr || shape->size() != 1) {
    return std::nullopt;
  }
  Dims result;
  for (const int64_t index : *indices) {
    const auto at = axis_position(index, data->size());
    if (!at) {
      return std::nullopt;
    }
    result.push_back((*data)[*at]);
  }
  return result;
}

// One axis, forwards or backwards; `size` is the inferred length.
FoldedDims fold_slice(const NodeView& node, size_t size) {
  const Dims* data = node.values(0);
  const Dims* shape = node.shape(0);
  const auto starts = node.attribute_or_input("starts", 1);
  const auto steps = node.attribute_or_input("steps", 4);
  if (data == nullptr || shape == nullptr || shape->size() != 1 || !starts || starts->size() != 1 || data->empty()) {
    return std::nullopt;
  }
  if (!node.has_neither("steps", 4) && (!steps || steps->size() != 1)) {
    return std::nullopt;
  }
  const auto length = static_cast<int64_t>(data->size());
  const int64_t step = steps ? steps->front() : 1;
  const int64_t start = starts->front() < 0 ? starts->front() + length : starts->front();
  int64_t at = std::clamp(start, int64_t{0}, step > 0 ? length : length - 1);
  Dims result;
  for (size_t i = 0; i < size && at >= 0 && at < length; ++i) {
    result.push_back((*data)[static_cast<size_t>(at)]);
    if (__builtin_add_overflow(at, step, &at)) {
      break;
    }
  }
  return result.size() == size ? std::optional(result) : std::nullopt;
}

FoldedDims fold_reduction(const NodeView& node, size_t size) {
  const Dims* data = node.values(0);
  if (data == nullptr || data->empty() || size != 1) {
    return std::nullopt;
  }
  const std::string& op = node.node().op_type();
  const char* step = op == "ReduceProd" ? "Mul" : op == "ReduceSum" ? "Add" : op == "ReduceMax" ? "Max" : "Min";
  std::optional<int64_t> total = data->front();
  for (size_t i = 1; i < data->size() && total; ++i) {
    total = apply(step, *total, (*data)[i]);
  }
  return total ? std::optional(Dims{*total}) : std::nullopt;
}

FoldedDims fold_fill(const NodeView& node, size_t size) {
  const onnx::AttributeProto* value = node.attribute("value");
  const TensorFacts fill = value == nullptr ? TensorFacts{} : facts_of(value->t());
  return fill.values && fill.values->size() == 1 ? std::optional(Dims(size, fill.values->front())) : std::nullopt;
}

FoldedDims fold_range(const NodeView& node, size_t size) {
  const Dims* start = node.values(0);
  const Dims* delta = node.values(2);
  if (start == nullptr || delta == nullptr || start->size() != 1 || delta->size() != 1) {
    return std::nullopt;
  }
  Dims result;
  int64_t value = start->front();
  for (size_t i = 0; i < size; ++i) {
    result.push_back(value);
    if (i + 1 < size && __builtin_add_overflow(value, delta->front(), &value)) {
      return std::nullopt;
    }
  }
  return result;
}

// The same elements in the same order, or one element many times.
Values fold_copy(const NodeView& node, size_t size) {
  const TensorFacts* data = node.input(0);
  if (data == nullptr || !data->values || (data->values->size() != size && data->values->size() != 1)) {
    return nullptr;
  }
  return data->values->size() == size ? data->values : std::make_shared<const Dims>(size, data->values->front());
}

FoldedDims compute(const NodeView& node, size_t size) {
  const std::string& op = node.node().op_type();
  if (op == "Concat") {
    return fold_concat(node);
  }
  if (op == "Gather") {
    return fold_gather(node);
  }
  if (op == "Slice") {
    return fold_slice(node, size);
  }
  if (op == "Where") {
    return fold_where(node, size);
  }
  if (op == "ConstantOfShape") {
    return fold_fill(node, size);
  }
  if (op == "Range") {
    return fold_range(node, size);
  }
  if (op == "ReduceProd" || op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin") {
    return fold_reduction(node, size);
  }
  return fold_binary(node, size);
}

Values fold(const NodeView& node, size_t size) {
  const std::string& op = node.node().op_type();
  if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten" || op == "Expand") {
    return fold_copy(node, size);
  }
  if (op == "Cast") {
    const bool same_values = is_integer(node.dtype(0)) && node.integer("to", 0) != onnx::TensorProto::BOOL;
    return same_values ? fold_copy(node, size) : nullptr;
  }
  FoldedDims folded_dims = compute(node, size);
  return folded_dims ? std::make_shared<const Dims>(std::move(*folded_dims)) : nullptr;
}

}  // namespace

void fold_constants(NodeView& node) {
  TensorFacts& output = node.output(0);
  if (output.values || !output.shape || !is_integer(output.dtype)) {
    return;
  }
  const auto size = element_count(*output.shape);
  if (size && *size <= static_cast<int64_t>(kMaxValues)) {
    output.values = fold(node, static_cast<size_t>(*size));
    // An invalid node's values may not be as many as its shape says.
    if (output.values && static_cast<int64_t>(output.values->size()) != *size) {
      output.values.reset();
    }
  }
}

}  // namespace aaco
