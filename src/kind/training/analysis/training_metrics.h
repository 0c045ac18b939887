// SPDX-License-Identifier: MIT
// What a training is measured by, each figure named once.
#pragma once

#include <vector>

#include "analysis/metric/metric_rows.h"
#include "analysis/model_run/results.h"
#include "kind/training/analysis/training_figures.h"

namespace aaco {

// `latency`: of the measured steps, where the session's rows are at hand; null: a document alone.
std::vector<MetricRow> training_metrics(const TrainingFigures& figures, const LatencySummary* latency);

}  // namespace aaco
