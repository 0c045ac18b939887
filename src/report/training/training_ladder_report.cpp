// SPDX-License-Identifier: MIT
#include "report/training/training_ladder_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "report/values.h"

namespace aaco::report {

namespace {

Cell estimate_cell(const std::optional<Estimate>& estimate, std::string_view unit, const char* missing) {
  return estimate ? interval_cell(estimate->value, estimate->interval, unit) : missing_cell(missing);
}

struct LadderBars {
  const char* id;
  const char* title;
  const char* axis;
  plot::Quantity quantity;
  const char* unit;
  const char* no_data;
  std::optional<Estimate> (*value)(const LadderRow& row);
};

const LadderBars kSteps{"ladder-steps",
                        "Wall time per step",
                        "time per step",
                        plot::Quantity::kDuration,
                        "ns",
                        "no step was measured",
                        [](const LadderRow& row) { return row.step_ns; }};
const LadderBars kEnergy{"ladder-energy",
                         "Energy per token",
                         "energy per token",
                         plot::Quantity::kSi,
                         "J",
                         "power was not measured",
                         [](const LadderRow& row) { return row.energy.joules_per_token; }};

// A bar for each version, the first on top, with whiskers of the interval.
plot::Chart bars_of(const TrainingLadder& ladder, const LadderBars& what) {
  plot::Chart chart{.id = what.id,
                    .title = what.title,
                    .caption = "Of each version, the median over processes; whiskers are its 95 % interval.",
                    .x = {.title = what.axis,
                          .quantity = what.quantity,
                          .unit = what.quantity == plot::Quantity::kSi ? what.unit : "",
                          .from_zero = true},
                    .no_data = what.no_data};
  plot::Series bars{.mark = plot::Mark::kBars};
  for (const LadderRow& row : ladder.rows) {
    const std::optional<Estimate> estimate = what.value(row);
    if (!estimate) {
      continue;
    }
    bars.y.push_back(static_cast<double>(chart.y.categories.size()));
    chart.y.categories.push_back(fmt::format("V{}", row.version));
    bars.x.push_back(estimate->value);
    const Interval around = estimate->interval.value_or(Interval{estimate->value, estimate->value});
    bars.low.push_back(around.low);
    bars.high.push_back(around.high);
    bars.values.push_back(format_in_unit(estimate->value, what.unit));
  }
  chart.series.push_back(std::move(bars));
  return chart;
}

}  // namespace

Report build_training_ladder_report(const TrainingLadder& ladder) {
  Report report{.title = "What each version bought"};
  TableBlock table{.id = "ladder",
                   .columns = {{"version"},
                               {"step [95 %]", true},
                               {"over the first", true},
                               {"over the one before", true},
                               {"MFU", true},
                               {"operations", true},
                               {"kernels", true},
                               {"launches", true},
                               {"ideal bytes", true},
                               {"peak memory", true},
                               {"last loss", true},
                               {"power", true},
                               {"joules per token", true}}};
  for (const LadderRow& row : ladder.rows) {
    const bool first = &row == &ladder.rows.front();
    const auto recorded = [](const std::optional<double>& count) {
      return count ? number_cell(*count, "1") : missing_cell("not recorded");
    };
    const auto speedup = [&](const std::optional<Estimate>& estimate) {
      return first ? text_cell("") : estimate_cell(estimate, "1", "not measured");
    };
    table.rows.push_back({text_cell(fmt::format("V{}", row.version)), estimate_cell(row.step_ns, "ns", "not measured"),
                          speedup(row.speedup), speedup(row.speedup_step),
                          row.mfu ? number_cell(100 * *row.mfu, "%") : missing_cell("not known"),
                          count_cell(row.operations), recorded(row.kernels), recorded(row.launches),
                          number_cell(row.ideal_bytes, "B"), number_cell(static_cast<double>(row.peak_bytes), "B"),
                          optional_cell(row.last_loss, "1"), estimate_cell(row.energy.power_w, "W", "unknown"),
                          estimate_cell(row.energy.joules_per_token, "J", "unknown")});
  }
  Section section{.id = "ladder", .title = "Versions", .blocks = {std::move(table)}};
  if (!ladder.not_comparable.empty()) {
    section.blocks.emplace_back(
        Paragraph{"Their speeds cannot be compared: " + ladder.not_comparable + ".", Tone::kBad});
  }
  section.blocks.emplace_back(ChartBlock{bars_of(ladder, kSteps)});
  if (std::any_of(ladder.rows.begin(), ladder.rows.end(),
                  [](const LadderRow& row) { return row.energy.joules_per_token.has_value(); })) {
    section.blocks.emplace_back(ChartBlock{bars_of(ladder, kEnergy)});
  }
  Bullets bundles{.title = "Sessions"};
  for (const LadderRow& row : ladder.rows) {
    bundles.items.push_back(fmt::format("V{}: {}", row.version, row.bundle));
  }
  section.blocks.emplace_back(std::move(bundles));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace aaco::report
