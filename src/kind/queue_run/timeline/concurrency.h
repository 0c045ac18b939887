// SPDX-License-Identifier: MIT
// How many kernels a device had in flight while it had any:
//
//   concurrency = sum of the kernels' durations / length of their union     1: never two at once
//
// which is the mean number in flight over the busy time; `at_level_ns` gives the busy time at each number.
// What it does not tell: whether kernels in flight made progress: a kernel whose blocks wait for units is in flight.
// Nor how much of the device they used.
#pragma once

#include <span>
#include <vector>

#include "analysis/metric/metric.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct Concurrency {
  MetricValue mean_in_flight;  // over processes
  int64_t most_in_flight = 0;
  std::vector<int64_t> at_level_ns;  // busy time with 1, 2, ... kernels in flight, over all processes and devices
  int64_t streams = 0;               // the most that had kernels in one process
  int64_t kernels = 0;
};

// Devices of one process are taken apart and then together: their sums of durations over their sums of unions.
Concurrency concurrency(std::span<const ActivityRun> processes);

void to_json(Json& json, const Concurrency& value);
void from_json(const Json& json, Concurrency& value);

}  // namespace aaco
