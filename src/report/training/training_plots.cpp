// SPDX-License-Identifier: MIT
#include "report/training/training_plots.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"

namespace aaco::report {

namespace {

constexpr size_t kMostLines = 8;

plot::Series loss_line(const TrainingProcess& process, std::string name, int colour) {
  plot::Series line{.name = std::move(name), .colour = colour};
  for (size_t i = 0; i < process.losses.size(); ++i) {
    line.x.push_back(static_cast<double>(i) + 1);
    line.y.push_back(process.losses[i]);
  }
  return line;
}

bool is_longer(const TrainingProcess& a, const TrainingProcess& b) { return a.losses.size() < b.losses.size(); }

}  // namespace

plot::Chart loss_chart(const TrainingView& view) {
  const TrainingRunDocument& document = view.document;
  const std::vector<TrainingProcess>& processes = document.processes;
  plot::Chart chart{.id = "loss",
                    .title = "Loss of every step",
                    .caption = "Mean cross-entropy of the step's tokens, before its update.",
                    .x = {.title = "step", .whole_numbers = true, .min = 1},
                    .y = {.title = "loss"},
                    .height = 280,
                    .no_data = "no step was run"};
  if (processes.empty()) {
    return chart;
  }
  if (view.figures.same_losses) {
    const auto longest = std::max_element(processes.begin(), processes.end(), is_longer);
    chart.series.push_back(loss_line(*longest, "", 0));
    chart.caption +=
        processes.size() > 1 ? fmt::format(" The same in all {} processes, bit by bit.", processes.size()) : "";
  } else {
    for (size_t i = 0; i < std::min(processes.size(), kMostLines); ++i) {
      chart.series.push_back(
          loss_line(processes[i], fmt::format("process {}", processes[i].process), static_cast<int>(i)));
    }
    chart.caption += processes.size() > kMostLines
                         ? fmt::format(" Processes differ; the first {} of {}.", kMostLines, processes.size())
                         : " Processes differ.";
  }
  if (document.request.warmup > 0) {
    chart.annotations.push_back({.kind = plot::Annotation::Kind::kVerticalBand,
                                 .from = 1,
                                 .to = static_cast<double>(document.request.warmup) + 0.5,
                                 .text = "warm-up"});
  }
  if (document.request.vocabulary > 1) {
    chart.annotations.push_back({.kind = plot::Annotation::Kind::kHorizontalLine,
                                 .from = std::log(static_cast<double>(document.request.vocabulary)),
                                 .text = "every token equally likely"});
  }
  return chart;
}

plot::Chart part_roofline(const TrainingView& view) {
  plot::Chart chart{.id = "part-roofline",
                    .title = "Parts under the roof of products",
                    .caption =
                        "A point for each part with FLOPs, timed alone. What memory allows was not measured, so "
                        "that no roof of memory is drawn.",
                    .x = {.title = "FLOPs per ideal byte", .logarithmic = true},
                    .y = {.title = "rate", .quantity = plot::Quantity::kSi, .unit = "FLOP/s", .logarithmic = true},
                    .height = 340,
                    .no_data = "no part with FLOPs was timed alone"};
  double least = 0;
  double most = 0;
  for (const PartFigure& part : view.figures.parts) {
    if (part.flops <= 0 || part.ideal_bytes <= 0 || part.flops_per_s.value_or(0) <= 0) {
      continue;
    }
    auto series = std::find_if(chart.series.begin(), chart.series.end(),
                               [&](const plot::Series& one) { return one.name == part.phase; });
    if (series == chart.series.end()) {
      const int colour = std::min(static_cast<int>(chart.series.size()), plot::kMuted);
      series = chart.series.insert(series, {.name = part.phase, .mark = plot::Mark::kPoints, .colour = colour});
    }
    const double intensity = part.flops / part.ideal_bytes;
    series->x.push_back(intensity);
    series->y.push_back(*part.flops_per_s);
    series->labels.push_back(fmt::format("{}, {}: {}, {:.3g} FLOP/B", part.phase, part.part,
                                         format_si(*part.flops_per_s, "FLOP/s"), intensity));
    least = least == 0 ? intensity : std::min(least, intensity);
    most = std::max(most, intensity);
  }
  if (const auto& roof = view.document.roof; roof && roof->flops_per_s > 0 && !chart.series.empty()) {
    chart.series.push_back({.name = fmt::format("{} products", roof->precision),
                            .colour = plot::kMuted,
                            .x = {least / 2, most * 2},
                            .y = {roof->flops_per_s, roof->flops_per_s}});
  }
  return chart;
}

}  // namespace aaco::report
