// SPDX-License-Identifier: MIT
// A training run as its sections see it.
#pragma once

#include <string>
#include <vector>

#include "kind/training/analysis/training_metrics.h"
#include "kind/training/document/training_run_document.h"

namespace aaco::report {

struct TrainingView {
  const TrainingRunDocument& document;
  TrainingFigures figures;  // computed again from what the processes left, so that no edited file contradicts itself
  std::vector<MetricRow> metrics;  // of it; without those of speed where nothing is said of that
  std::string failure;             // why nothing is said of speed (why_no_speed()); empty: it is
};

// `latency`: of the measured steps, from the session's rows; null: the document alone.
TrainingView training_view(const TrainingRunDocument& document, const LatencySummary* latency = nullptr);

// "Tiny LLaMA, version 4, small, bf16 on cuda:0 (NVIDIA H100)".
std::string training_title(const TrainingRunDocument& document);

}  // namespace aaco::report
