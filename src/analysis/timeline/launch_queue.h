// SPDX-License-Identifier: MIT
// How far the host was ahead of the device: the delay of each launch, and how much work lay queued.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/timeline/device_work.h"
#include "analysis/timeline/memory/most_over_time.h"

namespace aaco {

struct LaunchQueue {
  uint64_t launches = 0;  // slices whose launching call is known; the figures are of these alone
  // From the launching call's end to the slice's start. Negative where the slice began before the call had returned.
  uint64_t negative = 0;
  int64_t median_delay_ns = 0;  // the lower of the two middle ones of an even count
  int64_t p99_delay_ns = 0;     // the smallest that at least 99 of 100 do not exceed
  int64_t max_delay_ns = 0;
  // Slices that were launched and had not ended, running ones among them, over the budget's window.
  uint64_t max_depth = 0;
  int64_t max_depth_at_ns = 0;  // the first moment
  double mean_depth = 0;        // over time
  int64_t empty_ns = 0;         // nothing launched that had not ended
  std::vector<MostInPart> timeline;
};

LaunchQueue launch_queue(const EventTable& events, std::span<const DeviceSlice> slices, const Span& window);

}  // namespace aaco
