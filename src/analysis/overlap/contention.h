// SPDX-License-Identifier: MIT
// What communication costs the computation that it runs beside: the time that those kernels take beyond what the same
// kernels take alone.
#pragma once

#include <vector>

#include "analysis/overlap/overlap_figures.h"
#include "analysis/timeline/device_work.h"

namespace aaco {

struct RecordedSteps {
  const EventTable& events;
  const std::vector<DeviceWork>& devices;
  int64_t steps = 0;
};

// By kernel's name, most extra time first. The n-th computation of a step's stream is the same on both sides: what ran
// alone is given the stream that it has in the step. Errors: kInvalid where it is not.
Result<std::vector<KernelContention>> contention_of(const RecordedSteps& overlapped, const RecordedSteps& alone);

}  // namespace aaco
