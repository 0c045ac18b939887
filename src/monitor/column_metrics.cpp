// SPDX-License-Identifier: MIT
#include "monitor/column_metrics.h"

#include <algorithm>
#include <utility>

namespace aaco {

namespace {

struct UnitRule {
  std::string_view unit;    // of the column
  std::string_view ending;  // of its name
  std::string_view metric_unit;
  double scale;
};

constexpr UnitRule kUnits[] = {
    {"MHz", "_mhz", "hertz", 1e6},   {"W", "_w", "watts", 1},        {"mW", "_mw", "watts", 1e-3},
    {"C", "_c", "celsius", 1},       {"%", "_pct", "ratio", 0.01},   {"ns", "_ns", "seconds", 1e-9},
    {"us", "_us", "seconds", 1e-6},  {"ms", "_ms", "seconds", 1e-3}, {"s", "_s", "seconds", 1},
    {"bytes", "_bytes", "bytes", 1}, {"J", "_j", "joules", 1},       {"bytes/s", "_bytes_s", "bytes_per_second", 1},
};

bool is_listed(std::span<const std::string_view> names, std::string_view column) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return name == column || (name.ends_with('_') && column.starts_with(name));
  });
}

std::optional<double> number_at(const TableColumn& column, size_t row) {
  if (!column.valid.empty() && column.valid[row] == 0) {
    return std::nullopt;
  }
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&column.values)) {
    return static_cast<double>((*whole)[row]);
  }
  if (const auto* real = std::get_if<std::vector<double>>(&column.values)) {
    return (*real)[row];
  }
  return std::nullopt;
}

MetricLabels labels_of(const Table& table, std::span<const std::string_view> names, size_t row) {
  MetricLabels labels;
  for (const std::string_view name : names) {
    const TableColumn* column = table.find(name);
    const auto* values = column == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&column->values);
    if (values != nullptr) {
      labels.emplace_back(name, (*values)[row]);
    }
  }
  return labels;
}

// A share that is "100 = all busy" in percent.
std::string help_of(const ColumnInfo& column, std::string_view metric_unit) {
  constexpr std::string_view kWhole = "100 = ";
  std::string help = column.meaning;
  const size_t at = metric_unit == "ratio" ? help.find(kWhole) : std::string::npos;
  return at == std::string::npos ? help : help.replace(at, kWhole.size(), "1 = ");
}

}  // namespace

std::optional<ColumnMetric> metric_of_column(std::string_view prefix, const ColumnInfo& column) {
  if (column.type == ColumnType::kString) {
    return std::nullopt;
  }
  std::string base = column.name;
  for (const UnitRule& rule : kUnits) {
    if (column.unit == rule.unit) {
      if (base.ends_with(rule.ending)) {
        base.resize(base.size() - rule.ending.size());
      }
      return ColumnMetric{{std::string(prefix) + base + "_" + std::string(rule.metric_unit), MetricType::kGauge,
                           std::string(rule.metric_unit), help_of(column, rule.metric_unit)},
                          rule.scale};
    }
  }
  return ColumnMetric{{std::string(prefix) + base, MetricType::kGauge, "", column.meaning}, 1};
}

void add_column_metrics(MetricSet& metrics, const Table& table, const ColumnRules& rules) {
  for (const TableColumn& column : table.columns) {
    auto metric = metric_of_column(rules.prefix, column.info);
    if (!metric || is_listed(rules.labels, column.info.name) || is_listed(rules.skipped, column.info.name)) {
      continue;
    }
    metric->info.type = is_listed(rules.counters, column.info.name) ? MetricType::kCounter : MetricType::kGauge;
    for (size_t row = 0; row < table.row_count; ++row) {
      if (const std::optional<double> value = number_at(column, row)) {
        metrics.add(metric->info, labels_of(table, rules.labels, row), *value * metric->scale);
      }
    }
  }
}

}  // namespace aaco
