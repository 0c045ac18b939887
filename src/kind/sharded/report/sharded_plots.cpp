// SPDX-License-Identifier: MIT
#include "kind/sharded/report/sharded_plots.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"

namespace aaco::report {

namespace {

struct WorkColour {
  const char* work;
  int colour;
};
constexpr WorkColour kWorks[] = {{"computation", 0}, {"communication", 1}, {"copy", 2}};

size_t row_of(std::vector<std::string>& rows, const std::string& row) {
  const auto found = std::find(rows.begin(), rows.end(), row);
  const auto place = static_cast<size_t>(found - rows.begin());
  if (found == rows.end()) {
    rows.push_back(row);
  }
  return place;
}

struct ShareOfStep {
  const char* name;
  double StepShares::* part;
  int colour;
};
constexpr ShareOfStep kShares[] = {{"computation", &StepShares::computation_ns, 0},
                                   {"exposed communication", &StepShares::exposed_communication_ns, 1},
                                   {"exposed copies", &StepShares::exposed_copy_ns, 2},
                                   {"idle", &StepShares::idle_ns, plot::kMuted}};

}  // namespace

plot::Chart timeline_chart(const ShardedDocument& document) {
  plot::Chart chart{.id = "overlap-timeline",
                    .title = "One recorded step",
                    .caption = "Communication is hidden where computation of the same rank runs above it.",
                    .x = {.title = "since the step's first start", .quantity = plot::Quantity::kDuration},
                    .no_data = "no step was recorded"};
  for (const WorkColour& work : kWorks) {
    plot::Series series{.name = work.work, .mark = plot::Mark::kSpans, .colour = work.colour};
    for (const TimelineSlice& slice : document.timeline) {
      const size_t row = row_of(chart.y.categories, fmt::format("rank {}, {}", slice.rank, slice.stream));
      if (slice.work == work.work) {
        series.start.push_back(static_cast<double>(slice.start_ns));
        series.x.push_back(static_cast<double>(slice.end_ns));
        series.y.push_back(static_cast<double>(row));
        series.labels.push_back(
            fmt::format("{}: {}", slice.name, format_duration_ns(static_cast<double>(slice.end_ns - slice.start_ns))));
      }
    }
    if (!series.x.empty()) {
      chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

plot::Chart shares_chart(const OverlapFigures& figures) {
  plot::Chart chart{.id = "overlap-shares",
                    .title = "Where a step goes",
                    .x = {.title = "mean of a step", .quantity = plot::Quantity::kDuration, .from_zero = true},
                    .no_data = "no step was recorded"};
  std::vector<double> reached(figures.ranks.size(), 0);
  for (const RankOverlap& rank : figures.ranks) {
    chart.y.categories.push_back(fmt::format("rank {}", rank.rank));
  }
  for (const ShareOfStep& share : kShares) {
    plot::Series series{.name = share.name, .mark = plot::Mark::kBars, .colour = share.colour};
    for (size_t i = 0; i < figures.ranks.size(); ++i) {
      const double length = figures.ranks[i].mean.*share.part;
      series.start.push_back(reached[i]);
      reached[i] += length;
      series.x.push_back(reached[i]);
      series.y.push_back(static_cast<double>(i));
      series.labels.push_back(fmt::format("{}: {}", share.name, format_duration_ns(length)));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

plot::Chart sharded_loss_chart(const ShardedDocument& document) {
  plot::Chart chart{.id = "overlap-loss",
                    .title = "Loss",
                    .x = {.title = "step", .whole_numbers = true},
                    .y = {.title = "mean over ranks"},
                    .no_data = "no rank gave its losses"};
  plot::Series series{.name = "loss"};
  for (size_t i = 0; i < document.losses.size(); ++i) {
    series.x.push_back(static_cast<double>(i + 1));
    series.y.push_back(document.losses[i]);
  }
  chart.series.push_back(std::move(series));
  return chart;
}

}  // namespace aaco::report
