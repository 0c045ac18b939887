// SPDX-License-Identifier: MIT
// Whether two ways to the same gradients agree, for the checks of workloads that train.
#pragma once

#include <string>
#include <vector>

#include "workload/workload.h"

namespace aaco {

// How far sums over the same products in another order may differ, as a share of the whole's magnitude: the rounding of
// a few operations of the type (2^-24, 2^-11, 2^-11, 2^-9), each rounding anew what the last one left.
double order_tolerance(Precision precision);

// |a - b| / |b|, Euclidean; 0 for two zeros, NaN where an element is none.
double relative_difference(const std::vector<float>& a, const std::vector<float>& b);

// Errors: kInvalid, naming `what`, where they differ by more than the tolerance.
Result<void> expect_close(const std::string& what, const std::vector<float>& is, const std::vector<float>& should_be,
                          double tolerance);

}  // namespace aaco
