// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "base/text/characters.h"
#include "report/trace/values.h"
#include "report/trace_page/trace_charts.h"

namespace aaco::report {

namespace {

constexpr size_t kMostCharts = 4;  // of the ranks of a job, which are alike
constexpr std::array kBounds = {RoofBound::kCompute, RoofBound::kMemory, RoofBound::kLatency, RoofBound::kUnknown};

// The points of each bound, and how far they reach.
struct Points {
  std::vector<plot::Series> series;
  double least = 0;
  double most = 0;  // FLOPs a byte
};

Points points_of(const RankRoofline& rank) {
  Points points;
  for (size_t i = 0; i < kBounds.size(); ++i) {
    const RoofBound bound = kBounds[i];
    plot::Series dots{.name = bound == RoofBound::kUnknown ? "no roof" : fmt::format("{} bound", word_of(bound)),
                      .mark = plot::Mark::kPoints,
                      .colour = bound == RoofBound::kUnknown ? plot::kMuted : static_cast<int>(i)};
    for (const OperatorRoof& op : rank.operators) {
      const auto intensity = op.intensity();
      const auto rate = op.flops_per_s();
      if (op.bound == bound && intensity.value_or(0) > 0 && rate.value_or(0) > 0) {
        dots.x.push_back(*intensity);
        dots.y.push_back(*rate);
        points.least = points.least == 0 ? *intensity : std::min(points.least, *intensity);
        points.most = std::max(points.most, *intensity);
      }
    }
    if (!dots.x.empty()) {
      points.series.push_back(std::move(dots));
    }
  }
  return points;
}

// Of each precision that an operator has: what memory allows up to the ridge, the arithmetic from there on.
void add_roofs(plot::Chart& chart, const RankRoofline& rank, const Points& points) {
  const double bytes_per_s = rank.accelerator ? rank.accelerator->bytes_per_s.value_or(0) : 0;
  std::map<std::string, double> roofs;
  for (const OperatorRoof& op : rank.operators) {
    if (op.flops_per_s_roof && *op.flops_per_s_roof > 0) {
      roofs[op.precision] = std::max(roofs[op.precision], *op.flops_per_s_roof);
    }
  }
  int colour = 3;
  for (const auto& [precision, roof] : roofs) {
    plot::Series line{.name = fmt::format("{} roof", precision), .colour = std::min(colour++, plot::kMuted)};
    const double ridge = bytes_per_s > 0 ? roof / bytes_per_s : 0;
    const double from = points.least / 2;
    const double to = std::max(points.most, ridge) * 2;
    if (ridge > from) {
      line.x = {from, ridge};
      line.y = {from * bytes_per_s, roof};
    } else {
      line.x = {from};
      line.y = {roof};
    }
    line.x.push_back(to);
    line.y.push_back(roof);
    chart.series.push_back(std::move(line));
  }
}

}  // namespace

Charts roofline_charts(const EventTable& events, const TraceSummary& summary) {
  Charts charts;
  for (const RankRoofline& rank : summary.rooflines) {
    Points points = points_of(rank);
    if (points.series.empty() || charts.size() == kMostCharts) {
      continue;
    }
    plot::Chart chart{.id = fmt::format("roofline-{}", charts.size()),
                      .title = of_rank("roofline", events, rank.recording, rank.rank),
                      .caption = fmt::format("A point for each operator and its shapes{}{}.",
                                             rank.accelerator ? "; roofs of " + printable(rank.accelerator->name) : "",
                                             rank.on_host ? "; by time of their own on the host" : ""),
                      .x = {.title = "FLOPs per byte", .logarithmic = true},
                      .y = {.title = "rate", .quantity = plot::Quantity::kSi, .unit = "FLOP/s", .logarithmic = true},
                      .height = 340};
    add_roofs(chart, rank, points);
    for (plot::Series& dots : points.series) {
      chart.series.push_back(std::move(dots));
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace aaco::report
