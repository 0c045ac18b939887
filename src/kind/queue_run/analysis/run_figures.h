// SPDX-License-Identifier: MIT
// The figures of a queue run over its processes: medians over processes of what each found, with intervals from those.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "kind/queue_run/analysis/queue_process.h"
#include "record/rows.h"

namespace aaco {

struct QueueFigures {
  std::optional<LatencySummary> latency;  // of an iteration; none where the host does not wait for each
  std::optional<Estimate> iteration_ns;   // wall time of all over their number; none where the device is not waited for
  std::optional<Estimate> dispatch_ns;    // host time to enqueue an iteration, median in each process
  std::optional<Estimate> units_per_s;
  std::optional<Estimate> operations_per_s;
  std::optional<Estimate> flops_per_s;
  std::optional<Estimate> units_per_s_per_stream;  // over the streams that are used
  int64_t peak_bytes = 0;                          // the most of any process
  int64_t allocated_bytes = 0;
  std::optional<int64_t> reserved_bytes;
  std::string throughput_unavailable;  // why there is none
};

// `waits`: the device's end is within wall_ns. Pure.
QueueFigures queue_figures(const QueueWork& work, const std::vector<QueueProcess>& processes,
                           const std::vector<IterationRow>& iterations, bool waits);

void to_json(Json& json, const QueueFigures& figures);
void from_json(const Json& json, QueueFigures& figures);

}  // namespace aaco
