// SPDX-License-Identifier: MIT
// What a trace says about each device: where its time went and what ran.
#pragma once

#include <vector>

#include "analysis/timeline/kernel_statistics.h"
#include "analysis/timeline/time_budget.h"

namespace aaco {

struct DeviceSummary {
  int64_t rank = kNoId;
  int64_t device = kNoId;
  TimeBudget budget;
  std::vector<KernelStatistics> kernels;  // copies and memory sets too
  uint64_t overlaps = 0;                  // slices that begin before an earlier one of their stream has ended
  uint64_t unlinked = 0;                  // slices whose launching call is not in the trace
};

// In the order of rank and device.
std::vector<DeviceSummary> device_summaries(const EventTable& events);

}  // namespace aaco
