// SPDX-License-Identifier: MIT
// How a workload's throughput T grows with the streams s that it is given, s0 the fewest of the sweep:
//
//   per stream   T(s) / u, u the streams that the workload used, of all devices: what a run calls per stream, too
//   efficiency   (T(s) / s) / (T(s0) / s0), from the ratio of the processes' throughputs (Welch's t on logarithms,
//                base/statistics.h); 1: throughput grows as the streams do
//   gain, saturation   as analysis/model_run/scaling.h has them of batches
//
// What it does not tell: whether the workload used the streams (`used` says how many did), nor whether its work grows
// with them: where it does not, an efficiency of s0 / s is what no change looks like.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/scaling.h"
#include "kind/queue_run/analysis/queue_process.h"

namespace aaco {

struct StreamPoint {
  int64_t streams = 1;
  int64_t used = 1;
  std::vector<double> process_throughputs;  // in the workload's unit, all positive
};

struct StreamScalingRow {
  int64_t streams = 1;
  int64_t used = 1;
  Estimate throughput;
  Estimate per_stream;
  double efficiency = 1;
  std::optional<Interval> efficiency_interval;  // 95 %; needs two processes on both sides
  std::optional<double> gain_per_doubling;
  std::optional<Interval> gain_interval;
};

struct StreamScaling {
  std::vector<StreamScalingRow> rows;  // by streams
  std::optional<int64_t> saturation_streams;
  std::string saturation;                   // how sure that is, or why there is none
  std::vector<int64_t> without_throughput;  // stream counts of which no throughput was measured
};

// Of one run.
StreamPoint stream_point(int64_t streams, const QueueWork& work, const std::vector<QueueProcess>& processes);

// Points in any order; of two points with one number of streams the first counts.
StreamScaling stream_scaling(const std::vector<StreamPoint>& points);

void to_json(Json& json, const StreamPoint& value);
void from_json(const Json& json, StreamPoint& value);
void to_json(Json& json, const StreamScaling& value);
void from_json(const Json& json, StreamScaling& value);

}  // namespace aaco
