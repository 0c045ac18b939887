// SPDX-License-Identifier: MIT
// Arithmetic over shapes that may be unknown. Inside src/cost an unknown number is NaN, so that it spreads through a
// formula by itself; op_flops() and op_bytes() turn it into an absent value.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>

#include "cost/onnx_cost.h"

namespace aaco::cost {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Product of the dimensions: 1 for a scalar, unknown when a dimension is. A double, so that no product overflows.
double elements(const std::vector<int64_t>& shape);

// The operator was given its input `index`, of a shape known or not.
bool has_input(const OpShape& op, size_t index);

double input_elements(const OpShape& op, size_t index);
double output_elements(const OpShape& op, size_t index = 0);

// Dimension `axis` of an input, from the back when negative; unknown when there is no such dimension.
double input_dim(const OpShape& op, size_t index, int axis);
double output_dim(const OpShape& op, size_t index, int axis);
// The rank of an input; 0 when it was not given. A shape of unknown rank counts as rank 1, with an unknown dimension.
size_t input_rank(const OpShape& op, size_t index);

// The first value of an integer attribute, or `missing`.
int64_t attribute(const OpShape& op, const char* name, int64_t missing = 0);
// The product of an integer list; unknown when the attribute is absent or not positive.
double attribute_product(const OpShape& op, const char* name);

}  // namespace aaco::cost
