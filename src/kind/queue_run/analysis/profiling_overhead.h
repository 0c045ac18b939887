// SPDX-License-Identifier: MIT
// What measuring under the activity collector costs: the same loop in fresh processes with and without it, in turns
// (ABBA) in one run.
//
//   overhead = profiled / unprofiled     1: none; the geometric mean over pairs of processes of the ratio of their
//                                        values, with Student's t on logarithms
//
// The value of a process is the first of these that its loop takes: the median iteration, the wall time over the
// iterations, the median host time to enqueue one.
// What it does not tell: which kernels, gaps or calls became longer; the mean may hide that.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/metric/metric.h"
#include "kind/queue_run/analysis/queue_process.h"

namespace aaco {

struct ProfilingOverhead {
  MetricValue ratio;
  std::string of;                         // which value: "iteration p50"
  std::optional<Estimate> unprofiled_ns;  // of the pairs
  std::optional<Estimate> profiled_ns;
};

// Pairs by position; those of which a side has no value are left out. `waits`: the device's end is within wall_ns.
ProfilingOverhead profiling_overhead(std::span<const QueueProcess> unprofiled, std::span<const QueueProcess> profiled,
                                     bool waits);

void to_json(Json& json, const ProfilingOverhead& value);
void from_json(const Json& json, ProfilingOverhead& value);

}  // namespace aaco
