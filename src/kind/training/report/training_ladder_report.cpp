// SPDX-License-Identifier: MIT
#include "kind/training/report/training_ladder_report.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "report/values.h"

namespace aaco::report {

namespace {

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

// What a version is over another: "1.8x [1.7x, 1.9x]".
std::string times_words(const Estimate& ratio) {
  return ratio.interval
             ? fmt::format("{:.3g}x [{:.3g}x, {:.3g}x]", ratio.value, ratio.interval->low, ratio.interval->high)
             : fmt::format("{:.3g}x", ratio.value);
}

const LadderRow* row_with_most(const TrainingLadder& ladder, double (*figure)(const LadderRow& row)) {
  const auto most = std::ranges::max_element(ladder.rows, {}, figure);
  return most == ladder.rows.end() || !(figure(*most) > 0) ? nullptr : &*most;
}

// Over the version before, as far as the interval shows it.
enum class Gain { kUnknown, kFaster, kSlower, kNotShown };

Gain gain_of(const LadderRow& row) {
  if (!row.speedup_step || !row.speedup_step->interval) {
    return Gain::kUnknown;
  }
  const Interval& interval = *row.speedup_step->interval;
  return interval.low > 1 ? Gain::kFaster : interval.high < 1 ? Gain::kSlower : Gain::kNotShown;
}

void add_findings(const TrainingLadder& ladder, Headline& headline) {
  const LadderRow* bought =
      row_with_most(ladder, [](const LadderRow& row) { return row.speedup_step ? row.speedup_step->value : 0; });
  if (bought != nullptr && gain_of(*bought) == Gain::kFaster) {
    headline.findings.push_back(fmt::format("V{} bought most: {} over the version before it", bought->version,
                                            times_words(*bought->speedup_step)));
  }
  std::string slower;
  std::string versions;
  for (const LadderRow& row : ladder.rows) {
    const Gain gain = gain_of(row);
    if (gain == Gain::kSlower) {
      slower += fmt::format("{}V{}, {}", slower.empty() ? "" : "; ", row.version, times_words(*row.speedup_step));
    } else if (gain == Gain::kNotShown) {
      versions += fmt::format("{}V{}", versions.empty() ? "" : ", ", row.version);
    }
  }
  if (!slower.empty()) {
    headline.findings.push_back("slower than the version before: " + slower);
  }
  if (!versions.empty()) {
    headline.findings.push_back(fmt::format(
        "no gain is shown of {} over the version before; to find out: aaco llama compare with more --processes",
        versions));
  }
}

Headline headline_of(const TrainingLadder& ladder) {
  const LadderRow* fastest = row_with_most(
      ladder, [](const LadderRow& row) { return row.step_ns && row.step_ns->value > 0 ? 1 / row.step_ns->value : 0; });
  Headline headline{.figure = "No version has a speed"};
  if (!ladder.not_comparable.empty()) {
    headline.figure = "The versions' speeds cannot be compared: " + ladder.not_comparable;
  } else if (fastest != nullptr) {
    headline.figure =
        fmt::format("Fastest: V{}, {} a step", fastest->version, line_of(estimate_cell(fastest->step_ns, "ns")));
    if (fastest->speedup && fastest != &ladder.rows.front()) {
      headline.figure += fmt::format(", {} V{}", times_words(*fastest->speedup), ladder.rows.front().version);
    }
    add_findings(ladder, headline);
  }
  std::vector<std::pair<std::string, Tone>> doubts;
  const auto unmeasured =
      std::ranges::count_if(ladder.rows, [](const LadderRow& row) { return !row.step_ns.has_value(); });
  const auto without_interval =
      std::ranges::count_if(ladder.rows, [](const LadderRow& row) { return row.step_ns && !row.step_ns->interval; });
  if (unmeasured > 0) {
    doubts.emplace_back(counted(unmeasured, "version has", "versions have") + " no step time", Tone::kBad);
  }
  if (without_interval > 0) {
    doubts.emplace_back("no intervals: fewer than 3 processes measured each version", Tone::kWarning);
  }
  set_quality(doubts, headline);
  return headline;
}

}  // namespace

Report build_training_ladder_report(const TrainingLadder& ladder) {
  Report report{.title = "What each version bought", .headline = headline_of(ladder)};
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
                          speedup(row.speedup), speedup(row.speedup_step), percent_cell(row.mfu, "not known"),
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
