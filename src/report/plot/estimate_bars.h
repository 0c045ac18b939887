// SPDX-License-Identifier: MIT
// Bars of medians with whiskers, one below the other.
#pragma once

#include <optional>
#include <string>

#include "base/format.h"
#include "base/statistics.h"
#include "report/plot/chart.h"

namespace aaco::plot {

// The caption of such a chart.
inline constexpr const char* kWhiskers = "Median; whiskers are its 95 % interval.";

using FormatValue = std::string (*)(double);

// Adds a bar to `bars` and its name to the chart; nothing where there is no estimate.
void add_estimate_bar(std::string name, const std::optional<Estimate>& estimate, Chart& chart, Series& bars,
                      FormatValue format = format_duration_ns);

}  // namespace aaco::plot
