// SPDX-License-Identifier: MIT
// The plots of the reports of `aaco queue`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kind/queue_probe/analysis/launch_cost.h"
#include "kind/queue_probe/analysis/queue_map.h"
#include "kind/queue_probe/analysis/switch_cost.h"
#include "kind/queue_run/analysis/stream_scaling.h"
#include "report/counted_points.h"
#include "report/plot/chart.h"

namespace aaco::report {

// Over streams; `unit` of the throughput: "tokens/s". Where throughput is saturated is marked.
plot::Chart throughput_by_streams(const StreamScaling& scaling, const std::string& unit);
plot::Chart efficiency_by_streams(const StreamScaling& scaling);
plot::Chart throughput_per_stream(const StreamScaling& scaling, const std::string& unit);

// Latencies of an iteration over streams, a line for each quantile that there is.
struct LatencyLine {
  std::string name;
  std::vector<CountedPoint> points;
};
plot::Chart latency_by_streams(const StreamScaling& scaling, const std::vector<LatencyLine>& lines);

// Gaps between kernels on one stream, over streams, and from hand to hand.
plot::Chart switch_gaps(const SwitchCost& independent, const SwitchCost& hand_off);

// Which streams share a queue: a row and a column for each.
plot::Chart queue_matrix(const QueueMap& map);

// What a launch costs over the threads that launch.
plot::Chart launch_by_threads(std::span<const LaunchCost> costs);

}  // namespace aaco::report
