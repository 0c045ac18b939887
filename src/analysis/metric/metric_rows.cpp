// SPDX-License-Identifier: MIT
#include "analysis/metric/metric_rows.h"

#include <algorithm>

#include "base/json/json.h"

namespace aaco {

std::vector<MetricRow> metric_rows(std::span<const MetricInfo> definitions, std::span<const MetricValue> values) {
  std::vector<MetricRow> rows;
  for (const MetricValue& value : values) {
    const auto info = std::ranges::find(definitions, value.id, &MetricInfo::id);
    if (info != definitions.end()) {
      rows.push_back({&*info, info->title, info->unit, value});
    }
  }
  return rows;
}

MetricValue figure_or(const std::optional<Estimate>& estimate, const std::string& reason) {
  if (!estimate) {
    return no_data("", reason);
  }
  MetricValue figure = measured("", estimate->value, estimate->interval);
  if (!estimate->interval) {
    figure.quality = {QualityKind::kInconclusive, "an interval needs 3 processes"};
  }
  return figure;
}

MetricValue figure_or(const std::optional<double>& value, const std::string& reason) {
  return value ? measured("", *value) : no_data("", reason);
}

const MetricRow* find_row(std::span<const MetricRow> rows, std::string_view id) {
  const auto row = std::ranges::find_if(rows, [&](const MetricRow& each) { return each.figure.id == id; });
  return row == rows.end() ? nullptr : &*row;
}

void to_json(Json& json, const MetricRow& row) {
  const MetricValue& figure = row.figure;
  json = {{"id", figure.id},          {"title", row.title},          {"unit", row.unit},
          {"value", figure.value},    {"interval", figure.interval}, {"quality", figure.quality},
          {"help", row.info->formula}};
}

}  // namespace aaco
