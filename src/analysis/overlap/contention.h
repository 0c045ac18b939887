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

// By kernel's name, most extra time first. The n-th kernel of a name is the same on both sides. Errors: kInvalid where
// one has others.
Result<std::vector<KernelContention>> contention_of(const RecordedSteps& overlapped, const RecordedSteps& alone);

}  // namespace aaco
