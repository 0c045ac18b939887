// SPDX-License-Identifier: MIT
// The plots of a training run.
#pragma once

#include "kind/training/report/training_view.h"
#include "report/plot/chart.h"

namespace aaco::report {

// Over steps, warm-up included: a line for each process, or one where all have the same losses.
plot::Chart loss_chart(const TrainingView& view);

}  // namespace aaco::report
