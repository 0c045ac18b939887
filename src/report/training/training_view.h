// SPDX-License-Identifier: MIT
// A training run as its sections see it.
#pragma once

#include <string>

#include "analysis/documents/training_run_document.h"

namespace aaco::report {

struct TrainingView {
  const TrainingRunDocument& document;
  TrainingFigures figures;  // computed again from what the processes left, so that no edited file contradicts itself
  std::string failure;      // why nothing is said of speed (why_no_speed()); empty: it is
};

TrainingView training_view(const TrainingRunDocument& document);

// "Tiny LLaMA, version 4, small, bf16 on cuda:0 (NVIDIA H100)".
std::string training_title(const TrainingRunDocument& document);

}  // namespace aaco::report
