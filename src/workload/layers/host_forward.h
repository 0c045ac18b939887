// SPDX-License-Identifier: MIT
// What a network should have left, computed again on the host for single rows; for the checks of workloads.
#pragma once

#include <vector>

#include "workload/layers/dense.h"

namespace aaco {

// row * weight + bias in double, without rounding in between; `relu`: its positive part. Errors: the reader's.
Result<std::vector<float>> forward_on_host(DeviceReader& reader, const Dense& layer, const std::vector<float>& row,
                                           bool relu);

}  // namespace aaco
