// SPDX-License-Identifier: MIT
// How far a profile can be trusted: whether its de-biased node times add up to the unprofiled latency, and how many
// nodes it resolves.
#pragma once

#include <string>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// profile_reconciliation, node_time_coverage, dispatches_per_inference, nodes_off_provider.
std::vector<MetricValue> profile_quality_metrics(const Context& context);

// What a reader of the profile must know: events lost, rows without an iteration, times that do not reconcile.
std::vector<std::string> profile_warnings(const Context& context);

}  // namespace aaco
