// SPDX-License-Identifier: MIT
// The metrics of what collectors read, of the collectors themselves, and of this process.
#pragma once

#include <span>
#include <vector>

#include "monitor/collector_keeper.h"
#include "monitor/metric.h"

namespace aaco {

MetricSet metrics_of(std::span<const CollectorReading> readings);
// Its memory, files and processor time, under the names that Prometheus' own libraries give them.
void add_process_metrics(MetricSet& metrics);

// Series of one GPU are at most so many: a test holds the metrics to it.
inline constexpr size_t kMostSeriesOfGpu = 200;

}  // namespace aaco
