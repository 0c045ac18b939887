// SPDX-License-Identifier: MIT
// A row of a product, computed again on the host; for the checks of workloads.
#pragma once

#include <string>

#include "workload/workload.h"

namespace aaco {

// Whole factors are read: of many products eight are checked, evenly chosen.
inline bool is_product_checked(int64_t number, int64_t products) {
  return number * 8 / products != (number + 1) * 8 / products;
}

// The last row of c = a * b, a [m, k], b [k, n], against sums in double. Errors: kInvalid, naming `what`; the reader's.
Result<void> check_product_row(DeviceReader& reader, const std::string& what, const Tensor& a, const Tensor& b,
                               const Tensor& c, Precision precision);

}  // namespace aaco
