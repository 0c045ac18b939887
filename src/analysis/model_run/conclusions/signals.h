// SPDX-License-Identifier: MIT
// The evidence that the bottleneck classifier knows: one table, each line a metric that speaks for one class.
// docs/bottleneck-taxonomy.md shows the same table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model_run/context.h"

namespace aaco {

struct SignalRule {
  BottleneckClass bottleneck_class;
  const char* metric;  // id in all_metrics(); also the signal's name
  double none_at;      // the metric's value at which the signal has strength 0
  double full_at;      // and 1; linear in between; below none_at for signals that count when small
  double weight;       // of a class's signals the weights add up to 1
  const char* meaning;
};

// In the order of the classes.
std::span<const SignalRule> signal_rules();

// 0 at `none_at` and beyond, 1 at `full_at` and beyond, linear in between.
double ramp(double value, double none_at, double full_at);

inline constexpr const char* kDeviceWaitUnknown = "whether the device waited for the host is not recorded";

// How far it counts that the host's threads were kept from running, or that their processors' clock fell. On a
// processor 1. On a GPU the host runs ahead of the device, so that a device which is busy all the time does not notice:
// from 0 to 1 by the share of the mean latency in which the device had neither kernel nor copy. None where that is not
// known.
std::optional<double> host_weight(const Context& context);

// Every rule with the value it finds in the context's metrics. No data where the metric has none, is suspect, or has an
// interval so wide that it reaches from strength 0 to strength 1; on a GPU without device activity all signals of the
// memory- and compute-bound classes are "needs device activity". On any GPU the processors' clock is no data for the
// classes of what the device does (memory-, compute- and copy-bound). What slowed the host (cpu-bound, quota-bound,
// throttling) counts by host_weight(), and is no data where that is not known.
std::vector<Signal> evaluate_signals(const Context& context);

// The table in Markdown.
std::string signal_table();

}  // namespace aaco
