// SPDX-License-Identifier: MIT
// Launches of kernels whose kernel is not in the trace, although it ran while the profiler recorded: dropped records
// look like idle time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/launch_index.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"

namespace aaco {

struct LaunchCount {
  uint64_t launches = 0;    // of kernels, one by one; without those that are excepted
  uint64_t unrecorded = 0;  // at least so many left no record
};

// Of one step that the host's annotations mark (ProfilerStep#N).
struct StepLaunches {
  StringId name = kEmptyString;
  LaunchCount count;
};

struct UnrecordedLaunches {
  LaunchCount count;
  std::vector<StepLaunches> steps;  // with unrecorded launches, by time; none where it is not known which those are
};

// Whether a call of that name launches one kernel: cudaLaunchKernel, hipExtModuleLaunchKernel...
bool launches_one_kernel(std::string_view call);

// For each device, those of its rank. Excepted are calls during a stream's capture, which only record, and calls whose
// kernel may have run after the recording stopped. A launch has a record where a kernel has its id, linked or not; a
// kernel without a usable id may be any launch's, and counts against one.
std::vector<UnrecordedLaunches> count_unrecorded_launches(const EventTable& events,
                                                          const std::vector<DeviceWork>& devices,
                                                          const LaunchIndex& launches, LossTable& losses);

}  // namespace aaco
