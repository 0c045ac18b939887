// SPDX-License-Identifier: MIT
// A training step under its device's measured roofs.
#pragma once

#include "kind/training/document/training_roofline.h"
#include "report/report_model.h"

namespace aaco::report {

// Modules, phases and the step; `whole`: parts too, of which a terminal's text of a run has a table already.
Section training_roofline_section(const StepRoofline& roofline, bool whole);

// What `aaco llama roofline` says of a training.
Report build_training_roofline_report(const TrainingRunDocument& run);

}  // namespace aaco::report
