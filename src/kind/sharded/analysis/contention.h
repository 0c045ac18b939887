// SPDX-License-Identifier: MIT
// What communication costs the computation that it runs beside: the time that those kernels take beyond what the same
// kernels take alone.
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "kind/sharded/analysis/comparable_steps.h"
#include "kind/sharded/analysis/overlap_figures.h"

namespace aaco {

struct RecordedSteps {
  const EventTable& events;
  const std::vector<DeviceWork>& devices;
  int64_t steps = 0;
};

struct Contention {
  std::vector<KernelContention> kernels;  // by name, most extra time first
  KernelGrowth growth;                    // of those that can be told apart
  std::vector<std::string> left_out;      // names whose kernels cannot be told apart
};

// The n-th kernel of a name, and of a stream where `alone` has kernels of that name on several, is the same on both
// sides. The streams of `alone` are the program's; those of a captured step may be others, and names of which each
// stream has another number then are left out. Errors: kInvalid where one side has kernels that the other has not.
Result<Contention> contention_of(const RecordedSteps& overlapped, const RecordedSteps& alone);

}  // namespace aaco
