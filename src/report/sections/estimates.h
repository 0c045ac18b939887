// SPDX-License-Identifier: MIT
// The rows of a subject's metrics as a report shows them: each figure with its interval, or with the reason why there
// is none.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/metric/metric_rows.h"
#include "report/report_model.h"

namespace aaco::report {

// The value with its interval, or what kind of quality it is that has none: "no data".
Cell metric_cell(const MetricRow& row);
// The title; formula, needs and limits are unfolded on demand.
Cell metric_title_cell(const MetricRow& row);

// Beside the value its interval, what it is, or why there is none. `label`: in place of the title.
KeyFigure key_figure(std::span<const MetricRow> rows, std::string_view id, const char* label = nullptr);

// A table with a line for each row, and below it why figures have no value or are not to be relied upon.
std::vector<Block> metric_blocks(const std::string& id, std::span<const MetricRow> rows, const std::string& note = "");

std::vector<MetricRow> rows_of(std::span<const MetricRow> rows, std::initializer_list<std::string_view> ids);

}  // namespace aaco::report
