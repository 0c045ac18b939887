// SPDX-License-Identifier: MIT
// Figures over processes as a report shows them: each with its interval, or with the reason why there is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/statistics.h"
#include "report/report_model.h"

namespace aaco::report {

// `missing`: why there is no estimate.
KeyFigure estimate_figure(const char* label, const std::optional<Estimate>& estimate, std::string_view unit,
                          const std::string& missing);

// Of a table with the columns figure, value, 95 % interval.
void add_estimate_row(TableBlock& table, const char* name, const std::optional<Estimate>& estimate,
                      std::string_view unit, const std::string& missing);

// A quantile over all iterations, where there were enough of them.
void add_quantile_row(TableBlock& table, const char* name, const std::optional<double>& value,
                      const std::optional<Interval>& interval);

}  // namespace aaco::report
