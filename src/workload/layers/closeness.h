// SPDX-License-Identifier: MIT
// Whether two ways to the same sums agree, for the checks of workloads.
#pragma once

#include <string>
#include <vector>

#include "workload/workload.h"

namespace aaco {

// How far sums over the same products in another order may differ, as a share of the whole's magnitude: some ten times
// what the type rounds off once (2^-24, 2^-11, 2^-11, 2^-9), for a result that has gone through a few operations.
double order_tolerance(Precision precision);

// |is - should_be| / |should_be|, Euclidean; 0 for equal ones, NaN where an element is none.
double relative_difference(const std::vector<float>& is, const std::vector<float>& should_be);

// Errors: kInvalid, naming `what`, where they differ by more than the tolerance.
Result<void> expect_close(const std::string& what, const std::vector<float>& is, const std::vector<float>& should_be,
                          double tolerance);

}  // namespace aaco
