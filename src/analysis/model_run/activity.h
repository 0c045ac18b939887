// SPDX-License-Identifier: MIT
// How much of an inference something executes: on the device, or not at all.
#pragma once

#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// gpu_active_ratio_sum (sum of kernel times over wall time, above 1 when kernels overlap), gpu_active_ratio_union (time
// in which at least one kernel runs, over wall time), cpu_overhead_ratio (share of the latency in which no kernel
// runs).
std::vector<MetricValue> activity_metrics(const Context& context);

}  // namespace aaco
