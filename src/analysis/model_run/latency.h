// SPDX-License-Identifier: MIT
// Latency of one inference, by phase. The process is the unit of replication: the figure is the median over processes
// of per-process medians, with an interval from those. Tail quantiles are pooled over all iterations; their interval is
// over processes too, where there are three and each has iterations enough for the quantile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"

namespace aaco {

// Fewest pooled iterations from which a tail quantile is stated: with fewer, not even a one-sided 95 % upper bound of
// it exists (n = ln 0.05 / ln q).
inline constexpr int64_t kIterationsForP90 = 29;
inline constexpr int64_t kIterationsForP95 = 59;
inline constexpr int64_t kIterationsForP99 = 299;

// The phases "measure", "profile", "prefill", "decode", in that order, each where it has iterations of positive length.
std::vector<LatencySummary> latency_summaries(const Recording& recording);

// One summary from values by process, all positive; at least one process with at least one value.
LatencySummary summarize_latency(IterationPhase phase, const std::map<int64_t, std::vector<double>>& by_process);

// latency_*, throughput, profiling_tax, load_time, first_run_time, harness_time.
std::vector<MetricValue> latency_metrics(const Recording& recording, const std::vector<LatencySummary>& summaries);

// The estimate's interval, or the value alone where there is none.
Interval range_of(const Estimate& estimate);

}  // namespace aaco
