// SPDX-License-Identifier: MIT
#include "kind/training/report/training_plots.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

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
    chart.caption += view.figures.same_weights.value_or(false) ? " So are the weights behind the last step." : "";
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

}  // namespace aaco::report
