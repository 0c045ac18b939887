// SPDX-License-Identifier: MIT
// Where the time of a profiled inference on a GPU went: each nanosecond once, so that the parts add up to its wall
// time. In this order: a kernel ran; else the device copied or set memory; else the host was within a call that
// launches; else within a node; else none of these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

struct InferenceBudget {
  int64_t wall_ns = 0;
  int64_t kernels_ns = 0;
  int64_t copies_in_ns = 0;     // to the device
  int64_t copies_out_ns = 0;    // from it
  int64_t other_copies_ns = 0;  // within and between devices, and sets
  int64_t launches_ns = 0;      // the device idle from here on
  int64_t nodes_ns = 0;
  int64_t between_ns = 0;
};

// Of each profiled inference with device work, in the order of the iterations.
std::vector<InferenceBudget> inference_budgets(const Recording& recording);

// device_kernels_time, device_copies_in_time, device_copies_out_time, device_other_copies_time, launch_idle_time,
// node_idle_time, between_nodes_idle_time, profiled_inference_time: means over the profiled inferences, which add up;
// copy_time_share, kernels_linked, kernel_time_linked. None of them for a run that has no GPU.
std::vector<MetricValue> device_metrics(const Context& context);

}  // namespace aaco
