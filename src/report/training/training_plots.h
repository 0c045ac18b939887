// SPDX-License-Identifier: MIT
// The plots of a training run.
#pragma once

#include "report/plot/chart.h"
#include "report/training/training_view.h"

namespace aaco::report {

// Over steps, warm-up included: a line for each process, or one where all have the same losses.
plot::Chart loss_chart(const TrainingView& view);

}  // namespace aaco::report
