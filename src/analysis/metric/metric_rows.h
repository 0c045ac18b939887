// SPDX-License-Identifier: MIT
// The figures of any subject as rows: a model run, a queue run, a training, a sharded training, copies. Who shows,
// compares or watches figures needs these, and not the subject.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/metric/metric.h"
#include "base/json/json_fwd.h"
#include "base/statistics.h"

namespace aaco {

// A value, or the reason why there is none, with what it means.
struct MetricRow {
  const MetricInfo* info = nullptr;  // its formula is the one line of help
  std::string title;
  std::string unit;  // the definition's; where that is empty, the workload's own
  MetricValue figure;
};

// Of each value the row. A value that the definitions do not name is left out.
std::vector<MetricRow> metric_rows(std::span<const MetricInfo> definitions, std::span<const MetricValue> values);

// What a subject is measured by: the definition, and where the value is found. The value's id is the definition's.
template <class Subject>
struct SubjectMetric {
  MetricInfo info;
  MetricValue (*read)(const Subject&);
};

// In the order of the list. `unit`: in place of an empty one.
template <class Subject, size_t kCount>
std::vector<MetricRow> metric_rows(const SubjectMetric<Subject> (&metrics)[kCount], const Subject& subject,
                                   const std::string& unit = "") {
  std::vector<MetricRow> rows;
  for (const SubjectMetric<Subject>& metric : metrics) {
    MetricValue figure = metric.read(subject);
    figure.id = metric.info.id;
    rows.push_back(
        {&metric.info, metric.info.title, *metric.info.unit == '\0' ? unit : metric.info.unit, std::move(figure)});
  }
  return rows;
}

// For the lists: measured, inconclusive where it has no interval, or no data and why. The id is left to the list.
MetricValue figure_or(const std::optional<Estimate>& estimate, const std::string& reason);
MetricValue figure_or(const std::optional<double>& value, const std::string& reason);

// The row of that id; null where there is none.
const MetricRow* find_row(std::span<const MetricRow> rows, std::string_view id);

void to_json(Json& json, const MetricRow& row);  // {id, title, unit, value, interval, quality, help}

}  // namespace aaco
