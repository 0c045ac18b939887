// SPDX-License-Identifier: MIT
// Plots of a comparison.
#pragma once

#include "base/json/json_fwd.h"
#include "record/recording.h"
#include "report/plot/chart.h"

namespace aaco::report {

plot::Chart overlaid_histogram(const Recording& baseline, const Recording& test);
plot::Chart overlaid_ecdf(const Recording& baseline, const Recording& test);
// From the baseline's latency to the test's by the terms of the change; `terms` as in verdict.json.
plot::Chart change_waterfall(const Json& terms);
// Nodes by the size of their change; `nodes` as in diff.json.
plot::Chart node_changes(const Json& nodes);

}  // namespace aaco::report
