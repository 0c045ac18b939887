// SPDX-License-Identifier: MIT
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

double dim(const std::vector<std::vector<int64_t>>& shapes, size_t index, int axis) {
  if (index >= shapes.size()) {
    return kUnknown;
  }
  const std::vector<int64_t>& shape = shapes[index];
  const int64_t position = axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis;
  if (position < 0 || position >= static_cast<int64_t>(shape.size()) || shape[static_cast<size_t>(position)] < 0) {
    return kUnknown;
  }
  return static_cast<double>(shape[static_cast<size_t>(position)]);
}

}  // namespace

double elements(const std::vector<int64_t>& shape) {
  double product = 1;
  for (const int64_t size : shape) {
    product *= size < 0 ? kUnknown : static_cast<double>(size);
  }
  return product;
}

bool has_input(const OpShape& op, size_t index) {
  return index < op.input_shapes.size() &&
         !(index < op.input_dtypes.size() && op.input_dtypes[index] == kOmittedTensor);
}

double input_elements(const OpShape& op, size_t index) {
  return has_input(op, index) ? elements(op.input_shapes[index]) : kUnknown;
}

double output_elements(const OpShape& op, size_t index) {
  return index < op.output_shapes.size() ? elements(op.output_shapes[index]) : kUnknown;
}

double input_dim(const OpShape& op, size_t index, int axis) {
  return has_input(op, index) ? dim(op.input_shapes, index, axis) : kUnknown;
}

double output_dim(const OpShape& op, size_t index, int axis) { return dim(op.output_shapes, index, axis); }

size_t input_rank(const OpShape& op, size_t index) { return has_input(op, index) ? op.input_shapes[index].size() : 0; }

int64_t attribute(const OpShape& op, const char* name, int64_t missing) {
  const auto position = op.int_attributes.find(name);
  return position == op.int_attributes.end() || position->second.empty() ? missing : position->second.front();
}

double attribute_product(const OpShape& op, const char* name) {
  const auto position = op.int_attributes.find(name);
  if (position == op.int_attributes.end() || position->second.empty()) {
    return kUnknown;
  }
  double product = 1;
  for (const int64_t value : position->second) {
    product *= value > 0 ? static_cast<double>(value) : kUnknown;
  }
  return product;
}

}  // namespace aaco::cost
