// SPDX-License-Identifier: MIT
#include "report/diff_plots.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/json/json.h"
#include "report/json_fields.h"
#include "report/sections/latency_plots.h"

namespace aaco::report {

namespace {

constexpr int kSlower = 4;
constexpr int kFaster = 2;
constexpr size_t kMostNodes = 15;

std::string signed_duration(double ns) { return (ns > 0 ? "+" : "") + format_duration_ns(ns); }

std::vector<double> measured_latencies(const Recording& recording, IterationPhase phase) {
  std::vector<double> all;
  for (const auto& [process, values] : latencies_by_process(recording, phase)) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

// The chart with both sides as series, of the phase that both have.
plot::Chart overlay(plot::Chart chart, const Recording& baseline, const Recording& test, plot::Mark mark) {
  const bool decode = measured_latencies(test, IterationPhase::kMeasure).empty();
  const IterationPhase phase = decode ? IterationPhase::kDecode : IterationPhase::kMeasure;
  chart.series = {{.name = "baseline", .mark = mark, .colour = 1, .x = measured_latencies(baseline, phase)},
                  {.name = "test", .mark = mark, .colour = 0, .x = measured_latencies(test, phase)}};
  std::vector<double> all = chart.series[0].x;
  all.insert(all.end(), chart.series[1].x.begin(), chart.series[1].x.end());
  chart.x = {.title = "latency", .quantity = plot::Quantity::kDuration, .unit = "ns"};
  leave_out_outliers(chart, all);
  chart.width = 500;
  chart.height = 250;
  chart.no_data = "neither side has measured iterations";
  return chart;
}

// One bar of the waterfall: from where the last ended.
void add_bar(plot::Series& bars, double row, double from, double to, const std::string& label,
             const std::string& value) {
  bars.start.push_back(from);
  bars.x.push_back(to);
  bars.y.push_back(row);
  bars.labels.push_back(label);
  bars.values.push_back(value);
}

}  // namespace

plot::Chart overlaid_histogram(const Recording& baseline, const Recording& test) {
  plot::Chart chart{
      .id = "diff-distribution", .title = "Distribution of both", .caption = "All processes of each side."};
  chart.y = {.title = "share of iterations", .quantity = plot::Quantity::kPercent};
  return overlay(std::move(chart), baseline, test, plot::Mark::kHistogram);
}

plot::Chart overlaid_ecdf(const Recording& baseline, const Recording& test) {
  plot::Chart chart{
      .id = "diff-ecdf", .title = "Cumulative distribution of both", .caption = "A curve to the right is slower."};
  chart.y = {.title = "share at or under", .quantity = plot::Quantity::kPercent, .min = 0, .max = 1};
  return overlay(std::move(chart), baseline, test, plot::Mark::kEcdf);
}

plot::Chart change_waterfall(const Json& terms) {
  plot::Chart chart{
      .id = "diff-terms",
      .title = "What made up the change",
      .caption = "From the baseline's latency (geometric mean over processes) to the test's; the terms add up.",
      .x = {.title = "latency", .quantity = plot::Quantity::kDuration, .unit = "ns"},
      .no_data = "the change was not split into terms"};
  const std::optional<double> baseline = number_of(terms, "baseline_geometric_mean_ns");
  const std::optional<double> test = number_of(terms, "test_geometric_mean_ns");
  if (!baseline || !test) {
    return chart;
  }
  plot::Series ends{.mark = plot::Mark::kBars, .colour = plot::kMuted};
  plot::Series slower{.name = "slower", .mark = plot::Mark::kBars, .colour = kSlower};
  plot::Series faster{.name = "faster", .mark = plot::Mark::kBars, .colour = kFaster};
  const auto row = [&] { return static_cast<double>(chart.y.categories.size()); };
  double at = *baseline;
  double least = std::min(*baseline, *test);
  double most = std::max(*baseline, *test);
  const size_t first_row = chart.y.categories.size();
  chart.y.categories.emplace_back("baseline");
  for (const auto& [key, name] : {std::pair{"count_ns", "count: more or fewer executions"},
                                  {"time_ns", "time: each slower or faster"},
                                  {"gap_ns", "gap: time in no node"},
                                  {"unexplained_ns", "unexplained"}}) {
    const std::optional<double> term = number_of(terms, key);
    if (!term) {
      chart.y.categories.push_back(std::string(name) + " (no data)");
      continue;
    }
    add_bar(*term > 0 ? slower : faster, row(), at, at + *term, std::string(name) + ": " + signed_duration(*term),
            signed_duration(*term));
    chart.y.categories.emplace_back(name);
    at += *term;
    least = std::min(least, at);
    most = std::max(most, at);
  }
  // Room for the terms to show: the ends are drawn from below the smallest level.
  const double ground = std::max(0.0, least - std::max(most - least, 0.02 * most) * 1.5);
  add_bar(ends, static_cast<double>(first_row), ground, *baseline, "baseline", format_duration_ns(*baseline));
  add_bar(ends, row(), ground, *test, "test", format_duration_ns(*test));
  chart.y.categories.emplace_back("test");
  chart.x.min = ground;
  chart.caption += ground > 0 ? " The axis does not begin at zero." : "";
  chart.series = {std::move(ends), std::move(slower), std::move(faster)};
  return chart;
}

plot::Chart node_changes(const Json& nodes) {
  plot::Chart chart{.id = "diff-nodes",
                    .title = "Nodes that changed most",
                    .caption = "Change of the time per inference: by executions and by time per execution.",
                    .x = {.title = "change per inference", .quantity = plot::Quantity::kDuration, .unit = "ns"},
                    .no_data = "both sides need a profile"};
  struct Change {
    std::string name;
    double ns = 0;
    double bound_ns = 0;
  };
  std::vector<Change> changes;
  for (const Json& node : nodes.is_array() ? nodes : Json::array()) {
    const std::optional<double> count = number_of(node, "count_ns");
    const std::optional<double> time = number_of(node, "time_ns");
    if (count || time) {
      changes.push_back({text_of(node, "name"), count.value_or(0) + time.value_or(0),
                         // both contain the baseline's time: they are not independent
                         number_of(node, "count_bound_ns").value_or(0) + number_of(node, "time_bound_ns").value_or(0)});
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return std::abs(a.ns) > std::abs(b.ns); });
  changes.resize(std::min(changes.size(), kMostNodes));
  plot::Series slower{.name = "slower", .mark = plot::Mark::kBars, .colour = kSlower};
  plot::Series faster{.name = "faster", .mark = plot::Mark::kBars, .colour = kFaster};
  for (const Change& change : changes) {
    plot::Series& bars = change.ns > 0 ? slower : faster;
    bars.low.push_back(change.ns - change.bound_ns);
    bars.high.push_back(change.ns + change.bound_ns);
    add_bar(bars, static_cast<double>(chart.y.categories.size()), 0, change.ns,
            change.name + ": " + signed_duration(change.ns), signed_duration(change.ns));
    chart.y.categories.push_back(change.name);
  }
  chart.series = {std::move(slower), std::move(faster)};
  return chart;
}

}  // namespace aaco::report
