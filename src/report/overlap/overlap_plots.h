// SPDX-License-Identifier: MIT
// The charts of a sharded training's report.
#pragma once

#include "analysis/overlap/overlap_document.h"
#include "report/plot/chart.h"

namespace aaco::report {

// The streams of every rank on one axis.
plot::Chart timeline_chart(const OverlapDocument& document);
// Of each rank, the classes that add up to its step.
plot::Chart shares_chart(const OverlapFigures& figures);
plot::Chart overlap_loss_chart(const OverlapDocument& document);

}  // namespace aaco::report
