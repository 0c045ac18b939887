// SPDX-License-Identifier: MIT
// The charts of a sharded training's report.
#pragma once

#include "kind/sharded/analysis/sharded_document.h"
#include "report/plot/chart.h"

namespace aaco::report {

// The streams of every rank on one axis.
plot::Chart timeline_chart(const ShardedDocument& document);
// Of each rank, the classes that add up to its step.
plot::Chart shares_chart(const OverlapFigures& figures);
plot::Chart sharded_loss_chart(const ShardedDocument& document);

}  // namespace aaco::report
