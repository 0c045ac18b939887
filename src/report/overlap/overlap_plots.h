// SPDX-License-Identifier: MIT
// The charts of a sharded training's report, of a sweep's, and of that of copies beside products.
#pragma once

#include "analysis/overlap/copy_document.h"
#include "analysis/overlap/overlap_document.h"
#include "report/plot/chart.h"
#include "verdict/overlap_sweep.h"

namespace aaco::report {

// The streams of every rank on one axis.
plot::Chart timeline_chart(const OverlapDocument& document);
// Of each rank, the classes that add up to its step.
plot::Chart shares_chart(const OverlapFigures& figures);
plot::Chart overlap_loss_chart(const OverlapDocument& document);
// The four variants of each direction, with whiskers.
plot::Chart copy_chart(const CopyDocument& document);
// The step of each change, with whiskers.
plot::Chart sweep_step_chart(const OverlapSweep& sweep);

}  // namespace aaco::report
