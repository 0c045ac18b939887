// SPDX-License-Identifier: MIT
// The evidence that the bottleneck classifier knows: one table, each line a metric that speaks for one class.
// docs/bottleneck-taxonomy.md shows the same table.
#pragma once

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

// Every rule with the value it finds in the context's metrics. No data where the metric has none, is suspect, or has an
// interval so wide that it reaches from strength 0 to strength 1; on a GPU without device activity all signals of the
// memory- and compute-bound classes are "needs device activity".
std::vector<Signal> evaluate_signals(const Context& context);

// The table in Markdown.
std::string signal_table();

}  // namespace aaco
