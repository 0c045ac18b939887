// SPDX-License-Identifier: MIT
// What a queue run is measured by, each figure named once. Those of probes and of activity records: queue_metrics.h.
#pragma once

#include <vector>

#include "analysis/metric/metric_rows.h"
#include "kind/queue_run/analysis/run_figures.h"

namespace aaco {

std::vector<MetricRow> queue_run_metrics(const QueueFigures& figures, const QueueWork& work,
                                         const std::vector<QueueProcess>& processes);

}  // namespace aaco
