// SPDX-License-Identifier: MIT
// Whether streams with the same work got on alike while they competed.
//
//   progress of a stream   kernels that it ended by the moment at which the first stream ended all of its own; of a
//                          kernel under way then, the part of its time that had gone by
//   Jain's index           (sum x)^2 / (n sum x^2): 1 all alike, 1/n one stream got everything
//   max / min              of the progress
//
// Where the host waits for all streams between rounds of work, no stream can get ahead by more than a round: the
// progress is then taken within each, and both figures are the median over the rounds of a process.
//
// R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness" (DEC-TR-301, 1984).
// What it does not tell: anything of streams whose work differs: give it the same work on each. Nor who waited for
// whom.
#pragma once

#include <span>
#include <vector>

#include "analysis/metric/metric.h"
#include "kind/queue_run/timeline/kernel_readiness.h"

namespace aaco {

struct Fairness {
  MetricValue jain;
  MetricValue max_over_min;
  int64_t streams = 0;
  int64_t rounds = 0;            // of the first process
  std::vector<double> progress;  // of its first round, by stream id
};

// Progress (or throughput) by stream, one list for each process.
Fairness fairness(std::span<const std::vector<double>> processes);

// The same with rounds: progress by stream, one list for each round of each process.
Fairness fairness_of_rounds(std::span<const std::vector<std::vector<double>>> processes);

// By device and stream id; `kernels` in any order.
std::vector<double> stream_progress(std::span<const ReadyKernel> kernels);

// Of processes whose streams had the same work. A kernel belongs to the last round that began before it.
Fairness fairness(std::span<const ActivityRun> processes);

void to_json(Json& json, const Fairness& value);
void from_json(const Json& json, Fairness& value);

}  // namespace aaco
