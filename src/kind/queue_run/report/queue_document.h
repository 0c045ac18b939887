// SPDX-License-Identifier: MIT
// What reports of a run and of a sweep say of a run's document (analysis/documents) in the same words.
#pragma once

#include <string>

#include "kind/queue_run/document/queue_run_document.h"
#include "record/recording.h"

namespace aaco::report {

// Figures are computed again from what the processes left, so that an edited file cannot contradict itself.
QueueFigures figures_of(const QueueRunDocument& document, const Recording& recording);

// "4 of 8", or "8" where all are used.
std::string used_of(int64_t used, int64_t streams);
// "tensor_size=64, ops=5 (sizes for a CPU)"; "as they are" where all are defaults.
std::string parameters_of(const QueueRunDocument& document);
// "cpu:0 (AMD EPYC), ..."
std::string devices_of(const QueueRunDocument& document);

}  // namespace aaco::report
