// SPDX-License-Identifier: MIT
// What a training run found, as sections: of its session's report, and of a terminal.
#pragma once

#include <vector>

#include "analysis/model_run/results.h"
#include "kind/training/report/training_view.h"
#include "report/report_model.h"

namespace aaco::report {

// `remarks`: what is to be known of the session before any figure is read.
Section training_summary_section(const TrainingView& view, std::vector<Block> remarks);
Section training_configuration_section(const TrainingView& view);
// `latency`: of a step, where its quantiles are known.
Section training_figures_section(const TrainingView& view);
// The kernels of a step by the device's records: time, and what each takes of a compute unit; the first `most`.
Section training_kernels_section(const TrainingView& view, size_t most);
// Mean power and joules of a step and of a token, or why they are unknown; clocks.
Section training_energy_section(const TrainingView& view);
Section loss_section(const TrainingView& view);
// The step's parts, each timed alone; their phases; and where they lie under the roof of products.
Section training_parts_section(const TrainingView& view);
Section training_processes_section(const TrainingView& view);

}  // namespace aaco::report
