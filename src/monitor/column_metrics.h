// SPDX-License-Identifier: MIT
// Metrics of the columns of a table of samples. A column's unit makes name and scale, so that a quantity that a
// collector learns to read is a metric without a line here: core_clock_mhz is aaco_gpu_core_clock_hertz.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "monitor/metric.h"
#include "record/table.h"

namespace aaco {

struct ColumnMetric {
  FamilyInfo info;
  double scale = 1;  // from the column's unit to the metric's
};

// `prefix` is "aaco_gpu_". A gauge; none for text. A unit that is not known stays in the name.
std::optional<ColumnMetric> metric_of_column(std::string_view prefix, const ColumnInfo& column);

struct ColumnRules {
  std::string_view prefix;
  std::span<const std::string_view> labels;    // columns that tell the rows apart
  std::span<const std::string_view> skipped;   // a name that ends in _ stands for all that begin with it
  std::span<const std::string_view> counters;  // columns that only grow
};

// A point for each value that is there.
void add_column_metrics(MetricSet& metrics, const Table& table, const ColumnRules& rules);

}  // namespace aaco
