// SPDX-License-Identifier: MIT
// Plots of the latency of iterations.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/model_run/results.h"
#include "record/recording.h"
#include "report/plot/chart.h"

namespace aaco::report {

// Latencies of the iterations of one phase in ns, by process.
std::map<int64_t, std::vector<double>> latencies_by_process(const Recording& recording, IterationPhase phase);

// Where an axis ends so that a few outliers do not flatten the rest: none when the largest is within twice the
// 99th percentile's distance from the median.
std::optional<double> outlier_limit(std::vector<double> values);
// Ends the x axis at the limit of `values`, and says in the caption how many lie beyond.
void leave_out_outliers(plot::Chart& chart, const std::vector<double>& values);

// More processes than this are not told apart by bands.
inline constexpr size_t kMostBands = 100;

// Every unprofiled iteration, processes one after the other, warm-up set apart.
plot::Chart latency_series(const Recording& recording);
plot::Chart latency_histogram(const Recording& recording, const LatencySummary& measured);
plot::Chart latency_ecdf(const Recording& recording);
// The unit of replication: one median a process.
plot::Chart process_medians(const Recording& recording, const LatencySummary& measured);
// These four, in that order.
std::vector<plot::Chart> latency_charts(const Recording& recording, const LatencySummary& measured);

}  // namespace aaco::report
