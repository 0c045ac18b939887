// SPDX-License-Identifier: MIT
// The kernel launch tax: how much of a run is many short dispatches rather than work.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

// microkernel_fraction_count, microkernel_fraction_time, launch_rate, launch_tax_score, exposed_launch_time,
// mean_node_time, dispatch_cost_share. Without device activity on a GPU all but mean_node_time are "no data".
std::vector<MetricValue> launch_tax_metrics(const Context& context);

// Cost of the smallest dispatch: as the run calibrated it on empty nodes, else as measured with the roofs.
std::optional<double> smallest_dispatch_ns(const RunFacts& facts);

// Share of dispatches that are microkernels, by provider:op_type. Control-flow nodes, whose time is their body's, are
// not counted.
std::map<std::string, double> microkernel_fraction_by_group(const Context& context);

}  // namespace aaco
