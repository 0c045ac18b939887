// SPDX-License-Identifier: MIT
// The figures of streams and hardware queues as data: each id that an analysis of this folder gives a value to, with
// its title, unit, formula, needs, and what it does not tell.
#pragma once

#include <span>
#include <string_view>

#include "analysis/metric/metric.h"

namespace aaco {

// In report order.
std::span<const MetricInfo> queue_metrics();
const MetricInfo* find_queue_metric(std::string_view id);

}  // namespace aaco
