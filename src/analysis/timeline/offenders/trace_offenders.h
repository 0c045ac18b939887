// SPDX-License-Identifier: MIT
// What to do next about a trace: what holds its devices back, ranked as a run's offenders are
// (analysis/model_run/conclusions/rules.h).
#pragma once

#include <vector>

#include "analysis/model_run/results.h"
#include "analysis/timeline/advice/advice_input.h"
#include "analysis/timeline/operators/elementwise_runs.h"
#include "analysis/timeline/trace_summary.h"

namespace aaco {

// Times are of the whole trace, shares of a device's window. A cause that several devices share is named once, with the
// device on which most is at stake. Every stake is an upper bound, and they do not add up.
std::vector<Offender> find_trace_offenders(const EventTable& events, const TraceSummary& summary,
                                           const LongestWindows& windows, const std::vector<ElementwiseRuns>& runs);

}  // namespace aaco
