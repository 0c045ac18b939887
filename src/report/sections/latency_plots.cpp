// SPDX-License-Identifier: MIT
#include "report/sections/latency_plots.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/format.h"
#include "base/statistics.h"
#include "report/counted_points.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kMostCurves = 8;

double latency_ns(const IterationRow& row) { return static_cast<double>(row.t_end_ns - row.t_start_ns); }

std::vector<double> pooled(const std::map<int64_t, std::vector<double>>& by_process) {
  std::vector<double> all;
  for (const auto& [process, values] : by_process) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

plot::Axis latency_axis() { return {.title = "latency", .quantity = plot::Quantity::kDuration, .unit = "ns"}; }

}  // namespace

std::map<int64_t, std::vector<double>> latencies_by_process(const Recording& recording, IterationPhase phase) {
  std::map<int64_t, std::vector<double>> by_process;
  for (const IterationRow& row : recording.iterations) {
    if (row.phase == phase) {
      by_process[row.process].push_back(latency_ns(row));
    }
  }
  return by_process;
}

std::optional<double> outlier_limit(std::vector<double> values) {
  if (values.size() < 20) {
    return std::nullopt;
  }
  const double middle = *median(values);
  const double tail = *quantile(values, 0.99);
  const double most = *std::max_element(values.begin(), values.end());
  const double limit = middle + 2 * std::max(tail - middle, 0.02 * middle);
  return most > limit ? std::optional(limit) : std::nullopt;
}

void leave_out_outliers(plot::Chart& chart, const std::vector<double>& values) {
  chart.x.max = outlier_limit(values);
  if (chart.x.max) {
    const auto beyond = std::count_if(values.begin(), values.end(), [&](double v) { return v > *chart.x.max; });
    chart.caption += " " + std::to_string(beyond) + " slower than the axis shows.";
  }
}

plot::Chart latency_series(const Recording& recording) {
  plot::Chart chart{.id = "latency-series",
                    .title = "Latency of every iteration",
                    .caption = "Processes one after the other, each in the order it ran.",
                    .x = {.title = "iteration, over all processes"},
                    .y = latency_axis(),
                    .height = 280,
                    .no_data = "no unprofiled iteration was recorded"};
  plot::Series warmup{.name = "warm-up", .mark = plot::Mark::kPoints, .colour = plot::kMuted};
  plot::Series measure{.name = "measured", .mark = plot::Mark::kPoints, .colour = 0};
  std::set<int64_t> profiling;
  for (const ProcessFacts& process : recording.facts.process_facts) {
    if (process.role != ProcessRole::kMeasure) {
      profiling.insert(process.process);
    }
  }
  std::vector<const IterationRow*> rows;
  for (const IterationRow& row : recording.iterations) {
    if ((row.phase == IterationPhase::kWarmup || row.phase == IterationPhase::kMeasure) &&
        !profiling.contains(row.process)) {
      rows.push_back(&row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const IterationRow* a, const IterationRow* b) { return a->process < b->process; });
  size_t start = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    plot::Series& series = rows[i]->phase == IterationPhase::kWarmup ? warmup : measure;
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(latency_ns(*rows[i]));
    if (i + 1 == rows.size() || rows[i + 1]->process != rows[i]->process) {
      // Every other process is shaded, so that their borders show; all are named.
      chart.annotations.push_back({.kind = plot::Annotation::Kind::kVerticalBand,
                                   .from = static_cast<double>(start),
                                   .to = static_cast<double>(i) + 1,
                                   .text = "process " + std::to_string(rows[i]->process),
                                   .shaded = chart.annotations.size() % 2 == 1});
      start = i + 1;
    }
  }
  if (chart.annotations.size() > kMostBands) {
    chart.annotations.clear();
  }
  chart.x.min = 0;
  chart.x.max = static_cast<double>(std::max<size_t>(rows.size(), 1));
  chart.y.max = outlier_limit(measure.y);
  if (chart.y.max) {
    chart.caption += " Triangles at the upper edge are iterations beyond the axis; the slowest took " +
                     format_duration_ns(*std::max_element(measure.y.begin(), measure.y.end())) + ".";
  }
  chart.series = {std::move(warmup), std::move(measure)};
  return chart;
}

plot::Chart latency_histogram(const Recording& recording, const LatencySummary& measured) {
  plot::Series all{.mark = plot::Mark::kHistogram, .colour = 0};
  all.x = pooled(latencies_by_process(recording, IterationPhase::kMeasure));
  plot::Chart chart{.id = "latency-distribution",
                    .title = "Distribution",
                    .caption = "Share of measured iterations, all processes.",
                    .x = latency_axis(),
                    .y = {.title = "share of iterations", .quantity = plot::Quantity::kPercent},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "no measured iteration"};
  leave_out_outliers(chart, all.x);
  for (const auto& [value, name] :
       {std::pair{std::optional(measured.p50_ns.value), "median"}, {measured.p99_ns, "p99"}}) {
    if (value && (!chart.x.max || *value <= *chart.x.max)) {
      chart.annotations.push_back({.kind = plot::Annotation::Kind::kVerticalLine, .from = *value, .text = name});
    }
  }
  chart.series.push_back(std::move(all));
  return chart;
}

plot::Chart latency_ecdf(const Recording& recording) {
  const std::map<int64_t, std::vector<double>> by_process = latencies_by_process(recording, IterationPhase::kMeasure);
  plot::Chart chart{.id = "latency-ecdf",
                    .title = "Cumulative distribution by process",
                    .caption = "Curves apart from each other are differences between processes, not noise within one.",
                    .x = latency_axis(),
                    .y = {.title = "share at or under", .quantity = plot::Quantity::kPercent, .min = 0, .max = 1},
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "no measured iteration"};
  const std::vector<double> all = pooled(by_process);
  if (by_process.size() > kMostCurves) {
    chart.title = "Cumulative distribution";
    chart.caption = "All processes together.";
  }
  leave_out_outliers(chart, all);
  if (by_process.size() > kMostCurves) {
    chart.series.push_back({.mark = plot::Mark::kEcdf, .colour = 0, .x = all});
    return chart;
  }
  int colour = 0;
  for (const auto& [process, values] : by_process) {
    chart.series.push_back(
        {.name = "process " + std::to_string(process), .mark = plot::Mark::kEcdf, .colour = colour++, .x = values});
  }
  return chart;
}

plot::Chart process_medians(const Recording& recording, const LatencySummary& measured) {
  plot::Chart chart{.id = "process-medians",
                    .title = "Median of each process",
                    .caption = "Whiskers: 95 % interval of that process's median. Band: 95 % interval of the figure.",
                    .x = {.title = "process"},
                    .y = latency_axis(),
                    .width = kThirdWidth,
                    .height = kThirdHeight,
                    .no_data = "no measured iteration"};
  plot::Series medians{.mark = plot::Mark::kPoints, .colour = 0};
  for (const auto& [process, values] : latencies_by_process(recording, IterationPhase::kMeasure)) {
    const std::optional<Interval> interval = quantile_interval(values, 0.5);
    medians.x.push_back(static_cast<double>(process));
    medians.y.push_back(*median(values));
    medians.low.push_back(interval ? interval->low : medians.y.back());
    medians.high.push_back(interval ? interval->high : medians.y.back());
    medians.labels.push_back("process " + std::to_string(process) + ": median " + format_duration_ns(medians.y.back()) +
                             (interval ? " " + format_interval(*interval, "ns") : ""));
  }
  if (measured.p50_ns.interval) {
    chart.annotations.push_back({.kind = plot::Annotation::Kind::kHorizontalBand,
                                 .from = measured.p50_ns.interval->low,
                                 .to = measured.p50_ns.interval->high,
                                 .text = "95 % interval of the median over processes",
                                 .colour = 0});
  }
  if (!medians.x.empty()) {
    chart.x.min = medians.x.front() - 0.5;
    chart.x.max = medians.x.back() + 0.5;
    chart.x.whole_numbers = true;
  }
  chart.series.push_back(std::move(medians));
  return chart;
}

std::vector<plot::Chart> latency_charts(const Recording& recording, const LatencySummary& measured) {
  return {latency_series(recording), latency_histogram(recording, measured), latency_ecdf(recording),
          process_medians(recording, measured)};
}

}  // namespace aaco::report
